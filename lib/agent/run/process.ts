import { type ChildProcess, spawn } from 'node:child_process';
import type { AgentSettings } from '../settings.ts';
import { type Confinement, confined } from './apart/confine.ts';
import type { Command, Ended, Stopped } from './command.ts';
import { readOutput } from './limits/output.ts';
import { Stopper } from './limits/stopper.ts';
import { watch } from './limits/watch.ts';

export interface Limits
  extends Pick<AgentSettings, 'user' | 'runMsMax' | 'diskBytesMax' | 'memoryBytesMax' | 'processesMax' | 'graceMs'> {
  readonly confinement: Confinement;
  /** Aborts with the reason `canceled` or `lost`: the command is interrupted. */
  readonly signal: AbortSignal;
  /** Aborts when no process of the run may go on. */
  readonly over: AbortSignal;
}

/**
 * Runs a command in a process group of its own. When it is to stop, the group is interrupted, and killed after a grace; the group is also killed
 * when the command has ended, so that no process outlives it. A command that is to stop before it begins does not begin.
 */
export async function run(command: Command, limits: Limits): Promise<Ended> {
  const { signal, over } = limits;
  if (signal.aborted) return { code: null, reason: reasonOf(signal) };
  const { words, environment, network, remove } = await confined(command, limits);
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, {
    cwd: '/',
    env: { ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(network === undefined ? [] : (['ipc'] as const))],
    ...(limits.user ?? {}),
  });
  const served = network?.serve(child);
  const stopper = new Stopper(child, limits.graceMs);
  const timer = setTimeout(() => stopper.stop('time'), limits.runMsMax);
  const endWatch = watch({ pid: child.pid, folder: command.limitedFolder }, limits, stopper);
  const onAbort = () => stopper.stop(reasonOf(signal));
  const onOver = () => stopper.kill('lost');
  signal.addEventListener('abort', onAbort, { once: true });
  over.addEventListener('abort', onOver, { once: true });
  if (signal.aborted) onAbort();
  const complain = command.complaints ?? command.output;
  try {
    const end = ended(child, stopper);
    const [code] = await Promise.all([
      end,
      readOutput(child.stdout, command.output, end),
      readOutput(child.stderr, complain, end),
    ]);
    // At the end, so that no line of the engine is split.
    for (const line of served?.refused ?? []) await complain(Buffer.from(`${line}\n`)).catch(() => {});
    return { code, reason: stopper.reason };
  } finally {
    clearTimeout(timer);
    endWatch();
    signal.removeEventListener('abort', onAbort);
    over.removeEventListener('abort', onOver);
    stopper.end();
    served?.close();
    await remove();
  }
}

const reasonOf = ({ reason }: AbortSignal): Stopped => (reason === 'lost' ? 'lost' : 'canceled');

const ended = (child: ChildProcess, stopper: Stopper): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    // Processes that the command left behind may hold the output open: they are killed with its end.
    child.once('exit', (code) => {
      stopper.end();
      resolve(code);
    });
  });
