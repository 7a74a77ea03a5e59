import { chmod, lchown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '#core/config.ts';
import { serverUser } from './account.ts';

/** Earlier versions ran PostgreSQL as this user. */
const nobody = 65_534;
const ownerOnly = 0o700;
/** Names of the files and folders of an instance. */
const ours = /^(postgres|redis|seal\.key|root-token)/;

/**
 * Creates the folder of an instance if it is missing, and closes it to other users. A folder of an earlier version, which others
 * could list, is closed as well.
 *
 * @throws ConfigError if it contains other files, as /tmp does: closing it would harm others
 */
export async function closedFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: ownerOnly });
  if (await isClosed(path)) return;
  const foreign = (await readdir(path)).find((name) => !ours.test(name));
  const advice = 'close it to other users (chmod 700), or set KEYFERRY_DATA_DIR to a folder of its own';
  if (foreign !== undefined)
    throw new ConfigError(`${path} contains ${foreign}, which does not belong to an instance: ${advice}`);
  await chmod(path, ownerOnly).catch((cause: unknown) => {
    throw new ConfigError(`${path} would contain secrets, and other users may enter it: ${advice}`, { cause });
  });
}

/**
 * A closed folder that belongs to the user of servers, with everything in it.
 *
 * @throws ConfigError if it belongs to another user: changing the owner would lock that user out
 */
export async function serverFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: ownerOnly });
  if (!(await isClosed(path))) await chmod(path, ownerOnly);
  if (serverUser !== undefined) await handOver(path, serverUser);
}

const isClosed = async (path: string): Promise<boolean> => ((await stat(path)).mode & 0o777) === ownerOnly;

async function handOver(path: string, user: number): Promise<void> {
  const { uid } = await stat(path);
  if (uid === user) return;
  if (uid !== 0 && uid !== nobody) {
    throw new ConfigError(`${path} belongs to user ${uid}: start as that user, or set KEYFERRY_DATA_DIR`);
  }
  for (const name of await readdir(path, { recursive: true })) await lchown(join(path, name), user, user);
  // The folder itself comes last: an interrupted change is then repeated.
  await lchown(path, user, user);
}
