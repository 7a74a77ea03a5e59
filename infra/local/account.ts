import { spawnSync } from 'node:child_process';

/**
 * The user that servers run as when root starts them: PostgreSQL refuses to run as root, and neither server needs a right.
 * A number without a name, outside of what distributions and systemd hand out, so that no other program runs as it: `nobody`
 * is shared, and who runs as the same user may look into a server's memory. https://systemd.io/UIDS-GIDS/
 */
const unnamed = 60_900;

/** Whether this process is root, so that a server has to run as somebody else. */
export const isRoot = process.getuid?.() === 0;

/** Who owns the files of a server, and runs it; undefined: we do. */
export const serverUser: number | undefined = isRoot ? unnamed : undefined;

const haveSetpriv = spawnSync('setpriv', ['--version']).status === 0;

/** A command as the system is asked to run it. */
export interface Invocation {
  readonly program: string;
  readonly args: readonly string[];
  /** Only where nothing but the system's own call can change the user. */
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Runs a server as its user, without our capabilities and groups. It ends with this process, even when this process is
 * killed: `setpriv --pdeathsig` asks the kernel for it.
 */
export function asServer(program: string, args: readonly string[]): Invocation {
  if (haveSetpriv) return { program: 'setpriv', args: ['--pdeathsig', 'SIGTERM', ...otherUser(), program, ...args] };
  return { program, args, ...(serverUser === undefined ? {} : { uid: serverUser, gid: serverUser }) };
}

function otherUser(): readonly string[] {
  if (serverUser === undefined) return [];
  const user = [`--reuid=${serverUser}`, `--regid=${serverUser}`, '--clear-groups', '--no-new-privs'];
  return [...user, ...['--inh-caps', '--ambient-caps', ...(mayBound() ? ['--bounding-set'] : [])].map(withoutAny)];
}

const withoutAny = (option: string): string => `${option}=-all`;

/** Containers may run root without the capability that taking others out of the bounding set needs. */
function mayBound(): boolean {
  return spawnSync('setpriv', ['--bounding-set=-all', 'true']).status === 0;
}
