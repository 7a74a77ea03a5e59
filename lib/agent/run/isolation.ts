import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Words in front of a command that hide the processes of the machine from it, the agent and its environment among them. When the agent dies, all
 * processes of the run die with it.
 */
const apart = [
  'setpriv',
  '--pdeathsig',
  'KILL',
  '--',
  'unshare',
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--mount-proc',
  '--kill-child=KILL',
  '--',
];
const trialMs = 10_000;

/** Whether this machine lets processes have process numbers of their own. */
export async function canIsolate(): Promise<boolean> {
  const [program = '', ...rest] = [...apart, 'true'];
  return promisify(execFile)(program, rest, { timeout: trialMs }).then(
    () => true,
    () => false,
  );
}

/** The largest file that a run may write, in blocks of 512 bytes; core dumps are off. */
const limits = (bytesMax: number) => `ulimit -c 0; ulimit -f ${Math.ceil(bytesMax / 512)}; exec "$@"`;

/** The command line that runs a program with limits, and apart from other processes if the machine can. */
export function confined(
  command: readonly string[],
  { isIsolated, diskBytesMax }: { readonly isIsolated: boolean; readonly diskBytesMax: number },
): readonly [string, ...string[]] {
  const limited = ['sh', '-c', limits(diskBytesMax), 'sh', ...command];
  const [program = 'sh', ...rest] = isIsolated ? [...apart, ...limited] : limited;
  return [program, ...rest];
}
