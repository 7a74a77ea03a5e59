import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, untilEnd } from '../child.ts';
import { serverFolder } from '../folder.ts';
import { dataFolderOf } from './data-folder.ts';
import { forNamelessUser, namelessComplaint } from './nameless.ts';
import type { Programs } from './programs.ts';
import { superuser } from './rights.ts';
import { endOldServer } from './running-server.ts';

/**
 * Creates a data folder; `complete` is called with its path. It is created under another name first: an interrupted one would
 * look like a data folder and never start.
 */
export async function initialise(
  programs: Programs,
  dataDir: string,
  complete: (unfinished: string) => Promise<void>,
): Promise<void> {
  const unfinished = `${dataDir}.new`;
  await endOldServer(unfinished);
  const problem = await initdb(programs, unfinished);
  const last = problem?.includes(namelessComplaint) ? await initdbNameless(programs, unfinished) : problem;
  if (last !== undefined) throw new Error(`initdb failed: ${last}`);
  await complete(unfinished);
  await rename(unfinished, dataDir);
}

async function initdbNameless(programs: Programs, folder: string): Promise<string | undefined> {
  const own = await forNamelessUser(programs);
  return initdb(own, folder).finally(() => rm(own, { recursive: true, force: true }));
}

/** Logins to the new folder are rejected until rights are granted. Returns the error, if any. */
async function initdb(programs: Programs, folder: string): Promise<string | undefined> {
  await rm(folder, { recursive: true, force: true });
  await serverFolder(folder);
  const settings = ['-U', superuser, '--auth=reject', '--encoding=UTF8', '--no-locale', '--no-sync'];
  const log: string[] = [];
  const { argument, ...handed } = dataFolderOf(folder);
  const child = startChild(join(programs, 'bin', 'initdb'), ['-D', argument, ...settings], {
    ...handed,
    onLine: (line) => log.push(line),
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const how = await untilEnd(child);
  await closed;
  return child.exitCode === 0 ? undefined : `${how}\n${log.join('\n')}`;
}
