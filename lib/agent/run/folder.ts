import { chmod, lchown, lstat, mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { makePrivateFolder } from '#core/folders/private-folder.ts';
import type { AgentSettings } from '../settings.ts';
import { below, openFolders } from './limits/disk.ts';

/** The private folder of one part of a run. */
export interface RunFolder {
  readonly path: string;
  readonly configuration: string;
  readonly home: string;
  readonly temporary: string;
  /** Files that the agent writes for the engine. */
  readonly inputs: string;
  remove(): Promise<void>;
}

export const runFolderPrefix = 'keyferry-run';
/** The file in the folder of an apply that tells its run and, on the second line, where its state is. */
export const applyNote = 'apply';
/** The folders in it that a run sees. */
export const seenFolders = ['configuration', 'home', 'tmp', 'inputs'] as const;

/** Creates an empty folder that only the user of the run can read. */
export async function makeRunFolder({ folder, user }: Pick<AgentSettings, 'folder' | 'user'>): Promise<RunFolder> {
  const { path, remove } = await makePrivateFolder(folder, runFolderPrefix);
  const named = (name: string) => join(path, name);
  const made = {
    path,
    configuration: named('configuration'),
    home: named('home'),
    temporary: named('tmp'),
    inputs: named('inputs'),
    async remove() {
      await openFolders(path).catch(() => {});
      await remove();
    },
  };
  for (const name of seenFolders) await mkdir(named(name), { mode: 0o700 });
  await giveTo(user, path);
  return made;
}

/** Gives a folder and all in it to the user of the run. */
export async function giveTo(user: AgentSettings['user'], path: string): Promise<void> {
  if (user === undefined) return;
  await lchown(path, user.uid, user.gid);
  for await (const one of below(path)) await lchown(one.path, user.uid, user.gid);
}

/** Who may write to a folder could replace what others have in it, unless only owners may. */
const ownersOnly = 0o1000;

/** Lets no run touch what the agent and other runs have in the folder of an agent, such as a volume that is open to all. @throws Error when it cannot */
export async function closeToRuns(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  if ((mode & 0o022) === 0 || (mode & ownersOnly) !== 0) return;
  await chmod(folder, (mode & 0o7777) | ownersOnly).catch((cause: unknown) => {
    throw new Error(
      `Runs could replace what is in ${folder}: give it to the user of the agent, or set its sticky bit.`,
      {
        cause,
      },
    );
  });
}

export const writePrivate = (path: string, text: string | Uint8Array): Promise<void> =>
  writeFile(path, text, { mode: 0o600 });

/** The folder of the configuration in which the engine runs. @throws Error when the archive does not have it */
export async function workingFolder(configuration: string, wanted: string | null): Promise<string> {
  const root = await realpath(configuration);
  const path = await realpath(join(root, wanted ?? '')).catch(() => undefined);
  const inside = path === undefined ? '..' : relative(root, path);
  if (path === undefined || inside.startsWith('..') || isAbsolute(inside) || !(await lstat(path)).isDirectory())
    throw new Error(`The configuration has no folder ${wanted ?? ''}.`);
  return path;
}
