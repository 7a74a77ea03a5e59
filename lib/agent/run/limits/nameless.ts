import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import type { User } from '../../settings.ts';

const blockBytes = 512;
const lookMs = 30_000;
const textBytesMax = 16 * 1024 * 1024;

/**
 * The bytes of files without a name that processes have open: files that were deleted, and those in memory. Root without all of its capabilities sees the
 * open files of its own user only, so that a program of `user` looks in its place. Undefined: the run has kept that program from its end.
 */
export async function namelessBytes(pids: readonly number[], user: User | undefined): Promise<number | undefined> {
  const sizes = new Map<string, number>();
  for (const pid of pids)
    for (const name of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const found = await stat(`/proc/${pid}/fd/${name}`).catch(({ code }: NodeJS.ErrnoException) => code);
      if (found === 'EACCES' && user !== undefined) return lookAs(user, pids);
      if (typeof found !== 'object' || !found.isFile() || found.nlink !== 0) continue;
      sizes.set(`${found.dev}:${found.ino}`, found.blocks * blockBytes);
    }
  return sumOf(sizes);
}

/** Prints the device, the number and the blocks of each file without a name. */
const words = ['-maxdepth', '1', '-type', 'f', '-links', '0', '-printf', '%D:%i %b\n'];

function lookAs({ uid, gid }: User, pids: readonly number[]): Promise<number | undefined> {
  const folders = pids.map((pid) => `/proc/${pid}/fd`);
  const options = { uid, gid, cwd: '/', env: { PATH: '/usr/bin:/bin' }, timeout: lookMs, maxBuffer: textBytesMax };
  return new Promise((resolve) => {
    // It fails for files and processes that go meanwhile, and tells the others.
    const child = execFile('find', ['-L', ...folders, ...words], options, (_error, text) => {
      resolve(child.signalCode === null ? sumOf(sizesIn(text)) : undefined);
    });
  });
}

const sizesIn = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const [file = '', blocks] = line.split(' ');
      return blocks === undefined ? [] : [[file, Number(blocks) * blockBytes] as const];
    }),
  );

const sumOf = (sizes: ReadonlyMap<string, number>): number =>
  [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
