import { spawnSync } from 'node:child_process';

/**
 * The user of servers that root starts: PostgreSQL refuses to run as root, and neither server needs rights.
 * A number without a name, outside the ranges of distributions and systemd, so that no other program runs as it: `nobody`
 * is shared, and processes of the same user may read a server's memory. https://systemd.io/UIDS-GIDS/
 */
const unnamed = 60_900;

/** Whether this process is root, so that a server must run as another user. */
export const isRoot = process.getuid?.() === 0;

/** The user that runs a server and owns its files; undefined if it is the user of this process. */
export const serverUser: number | undefined = isRoot ? unnamed : undefined;

const haveSetpriv = spawnSync('setpriv', ['--version']).status === 0;

/** A command in the form in which it is run. */
export interface Invocation {
  readonly program: string;
  readonly args: readonly string[];
  /** Set only if the user can be changed by the system call alone. */
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Runs a server as its user, without our capabilities and groups. It ends with this process, even if this process is
 * killed: `setpriv --pdeathsig` asks the kernel for it.
 */
export function asServer(program: string, args: readonly string[]): Invocation {
  if (haveSetpriv) return { program: 'setpriv', args: ['--pdeathsig', 'SIGTERM', ...otherUser(), program, ...args] };
  return { program, args, ...(serverUser === undefined ? {} : { uid: serverUser, gid: serverUser }) };
}

/** Runs a program as the user of this process; it is asked to end when this process ends, even if it is killed. */
export const boundToParent = (program: string, args: readonly string[]): Invocation =>
  haveSetpriv ? { program: 'setpriv', args: ['--pdeathsig', 'SIGTERM', program, ...args] } : { program, args };

function otherUser(): readonly string[] {
  if (serverUser === undefined) return [];
  const user = [`--reuid=${serverUser}`, `--regid=${serverUser}`, '--clear-groups', '--no-new-privs'];
  return [...user, ...['--inh-caps', '--ambient-caps', ...(mayBound() ? ['--bounding-set'] : [])].map(withoutAny)];
}

const withoutAny = (option: string): string => `${option}=-all`;

/** Root in a container may lack the capability that is needed to drop others from the bounding set. */
function mayBound(): boolean {
  return spawnSync('setpriv', ['--bounding-set=-all', 'true']).status === 0;
}
