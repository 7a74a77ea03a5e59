import type { Environment } from './programs.ts';

/** A word as a shell takes it literally. */
export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Names that a shell can export, but for those that it keeps for itself. */
const name = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ofShells = new Set(['UID', 'EUID', 'PPID', 'OPTIND', 'SHELLOPTS', 'BASHOPTS', 'BASH_VERSINFO', 'FUNCNAME']);

interface Handed {
  /** What the shell executes: it sets the environment, and becomes the command in its arguments. */
  readonly script: string;
  /** The environment of the shell, in which the values have names that mean nothing to any program. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Hands an environment to a command by a shell, so that no program before the command is guided by it, as by `LD_PRELOAD` or `PATH`, and no value is
 * part of a command line, which other users can see.
 *
 * @param bytesMax the largest file that the command may write; core dumps are off
 */
export function handed(environment: Environment, folder: string, bytesMax: number): Handed {
  const values = Object.entries(environment).flatMap(([key, value]) =>
    value !== undefined && name.test(key) && !ofShells.has(key) ? [{ key, value }] : [],
  );
  const neutral = (at: number) => `KEYFERRY_AGENT_VALUE_${at}`;
  const script = [
    `cd ${quoted(folder)} || exit 1`,
    // In blocks of 512 bytes.
    `ulimit -c 0; ulimit -f ${Math.ceil(bytesMax / 512)}`,
    ...values.map(({ key }, at) => `export ${key}="$${neutral(at)}"`),
    `unset ${['KEYFERRY_AGENT_VALUE', ...values.map((_, at) => neutral(at))].join(' ')}`,
    'exec "$@"',
  ].join('\n');
  return { script, environment: Object.fromEntries(values.map(({ value }, at) => [neutral(at), value])) };
}
