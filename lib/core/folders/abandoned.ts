import { lstat, opendir, readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './owner.ts';
import { ownerIn } from './private-folder.ts';

export interface Abandoned {
  /** Where the folders are. */
  readonly parent: string;
  readonly prefix: string;
  /** The users whose folders are looked at, beside that of this process. */
  readonly uids?: readonly number[];
  /** Called before a folder is removed. If it fails, the folder stays. */
  readonly before?: (path: string) => Promise<void>;
}

/** Entries that are looked at, and folders that are removed, in one pass. */
const entriesMax = 20_000;
const removedMax = 100;
/** An owner that cannot be seen from here touches its folders each minute. Allows for clocks that differ. */
const silentMsMax = 3_600_000;

/**
 * Removes private folders whose process was killed, and no others: the name, the kind and the user must be right, and no process may work in the
 * folder. Several processes may do this at once.
 *
 * @returns the number of folders removed
 */
export async function removeAbandoned(abandoned: Abandoned): Promise<number> {
  const found = await findAbandoned(abandoned);
  if (found.length === 0) return 0;
  const used = await workingFolders();
  let count = 0;
  for (const path of found) {
    if (used.some((one) => one === path || one.startsWith(`${path}/`))) continue;
    const isRemoved = await removeOne(path, abandoned.before).then(
      () => true,
      // A folder that a run made unreadable, for example, is tried again.
      () => false,
    );
    if (isRemoved) count += 1;
  }
  return count;
}

async function removeOne(path: string, before: Abandoned['before']): Promise<void> {
  await before?.(path);
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

async function findAbandoned({ parent, prefix, uids = [] }: Abandoned): Promise<readonly string[]> {
  const users = [process.getuid?.() ?? -1, ...uids];
  const found: string[] = [];
  let entries = 0;
  const folder = await opendir(parent).catch(() => undefined);
  if (folder === undefined) return [];
  for await (const { name } of folder) {
    entries += 1;
    if (entries > entriesMax || found.length >= removedMax) break;
    const owner = ownerIn(name, prefix);
    if (owner === undefined) continue;
    const alive = isAlive(owner);
    if (alive === true) continue;
    const path = join(parent, name);
    const seen = await lstat(path).catch(() => undefined);
    if (seen === undefined || !seen.isDirectory() || !users.includes(seen.uid)) continue;
    if (alive === false || Date.now() - seen.mtimeMs > silentMsMax) found.push(path);
  }
  return found;
}

/** Where the processes of this machine work, as far as it can be seen: an engine may outlive the agent that started it. */
async function workingFolders(): Promise<readonly string[]> {
  const names = await readdir('/proc').catch(() => []);
  const links = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')),
  );
  return links.filter((link) => link !== '');
}
