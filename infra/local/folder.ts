import { chmod, lchown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../lib/core/config.ts';
import { serverUser } from './account.ts';

/** Earlier versions ran PostgreSQL as this user. */
const nobody = 65_534;
const ownerOnly = 0o700;
/** What lies in the folder of an instance. */
const ours = /^(postgres|redis|seal\.key|root-token)/;

/**
 * Makes the folder of an instance if there is none, and closes it to all others. One of an earlier version, which others
 * could list, is closed as well.
 *
 * @throws ConfigError when it holds other things, such as the whole of /tmp: closing it would harm others
 */
export async function closedFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: ownerOnly });
  if (await isClosed(path)) return;
  const foreign = (await readdir(path)).find((name) => !ours.test(name));
  const advice = 'close it to other users (chmod 700), or set KEYFERRY_DATA_DIR to a folder of its own';
  if (foreign !== undefined) throw new ConfigError(`${path} holds ${foreign}, which is not ours: ${advice}`);
  await chmod(path, ownerOnly).catch((cause: unknown) => {
    throw new ConfigError(`${path} is to hold secrets, and others may enter it: ${advice}`, { cause });
  });
}

/**
 * A closed folder that belongs to the user of servers, with all that is in it.
 *
 * @throws ConfigError when it is somebody else's: taking it away would lock that one out
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
  // The folder itself comes last: what was interrupted is done again.
  await lchown(path, user, user);
}
