import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentSettings, User, Users } from '../settings.ts';
import { runFolderPrefix } from './folder.ts';

/**
 * The users of runs when an agent of root is told none: numbers without a name, outside the ranges of distributions and systemd.
 * https://systemd.io/UIDS-GIDS/
 */
export const usersOfRuns: Users = { first: 60_901, last: 61_183 };

type Settings = Pick<AgentSettings, 'folder' | 'user' | 'users'>;

/** Whether runs have another user than this process. */
export const haveOtherUser = ({ user, users }: Pick<Settings, 'user' | 'users'>): boolean =>
  users !== undefined || (user !== undefined && user.uid !== process.getuid?.());

/** The user ids that runs of this agent may have, other than that of this process. */
export const uidsOf = ({ user, users }: Pick<Settings, 'user' | 'users'>): readonly number[] => {
  if (user !== undefined || users === undefined) return user === undefined ? [] : [user.uid];
  return Array.from({ length: users.last - users.first + 1 }, (_, at) => users.first + at);
};

/**
 * The user of the next run: the one of the settings, or one of `users` that owns no process and no folder of a run, so that what another run has left is
 * out of reach. Undefined: the user of this process. @throws Error when all are in use
 */
export async function userOfRun(settings: Settings): Promise<User | undefined> {
  const { folder, user, users } = settings;
  if (user !== undefined || users === undefined) return user;
  const used = new Set([...(await ownersOfFolders(folder)), ...(await ownersOfProcesses())]);
  const free = uidsOf(settings).filter((uid) => !used.has(uid));
  const uid = free[randomInt(Math.max(1, free.length))];
  if (uid === undefined) throw new Error(`All users of runs own processes, or folders in ${folder}.`);
  return { uid, gid: uid };
}

/** Kills all processes of a user that only one run has: also those that have left its process group. `sh` is the name of a shell. */
export async function endProcessesOf({ uid, gid }: User, sh: string): Promise<void> {
  const child = spawn(sh, ['-c', 'kill -KILL -1'], { uid, gid, stdio: 'ignore', env: {}, cwd: '/' });
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
}

async function ownersOfFolders(folder: string): Promise<readonly number[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(runFolderPrefix));
  return owners(names.map((name) => lstat(join(folder, name))));
}

async function ownersOfProcesses(): Promise<readonly number[]> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const living = await Promise.all(names.map(async (name) => ((await isZombie(name)) ? [] : [name])));
  return owners(living.flat().map((name) => stat(join('/proc', name))));
}

/** A container without an init process keeps the orphans of runs as zombies. */
async function isZombie(pid: string): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).startsWith('Z');
}

async function owners(looks: readonly Promise<{ readonly uid: number }>[]): Promise<readonly number[]> {
  const found = await Promise.allSettled(looks);
  return found.flatMap((one) => (one.status === 'fulfilled' ? [one.value.uid] : []));
}
