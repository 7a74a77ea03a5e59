import { Repeated } from '#core/concurrency/repeated.ts';
import type { AgentSettings } from '../../settings.ts';
import { bytesBelow, Hidden } from './disk.ts';
import { namelessBytes } from './nameless.ts';
import type { Stopper } from './stopper.ts';
import { usageOf } from './usage.ts';

/** Intervals of the looks, in milliseconds: each begins when the one before has ended. */
const diskEveryMs = 2_000;
const usageEveryMs = 500;
/** The part of the time that a look may take, on a machine with very many files or processes. */
const shareMax = 0.1;
/** Looks in a row that a run may spoil. The machine may have ended a program that looks, for want of memory. */
const spoiledMax = 2;

type Bounds = Pick<AgentSettings, 'user' | 'diskBytesMax' | 'memoryBytesMax' | 'processesMax'>;

interface Watched {
  /** Undefined for a command that did not begin. */
  readonly pid: number | undefined;
  readonly folder: string;
}

/**
 * Stops a command that takes more than its bounds. One that takes too much memory or too many processes is killed at once, since it could take the
 * rest of the machine while it ends. @returns ends the watch
 */
export function watch({ pid, folder }: Watched, bounds: Bounds, stopper: Stopper): () => void {
  const { user, diskBytesMax, memoryBytesMax, processesMax } = bounds;
  let spoiled = 0;
  const written = async () => {
    const named = await bytesBelow(folder, diskBytesMax);
    const nameless = pid === undefined ? 0 : await namelessBytes((await usageOf(pid)).pids, user);
    spoiled = nameless === undefined ? spoiled + 1 : 0;
    if (spoiled > spoiledMax) throw new Hidden('The run ends the program that measures it.');
    return named + (nameless ?? 0);
  };
  const disk = async () => {
    try {
      if ((await written()) > diskBytesMax) stopper.stop('disk');
    } catch (error) {
      if (!(error instanceof Hidden)) throw error;
      stopper.stop('hidden');
    }
  };
  const usage = async () => {
    if (pid === undefined) return;
    const { processes, bytes } = await usageOf(pid);
    if (processes > processesMax) stopper.kill('processes');
    else if (bytes > memoryBytesMax) stopper.kill('memory');
  };
  const goesOn = () => true;
  const looks = [
    new Repeated({ everyMs: diskEveryMs, shareMax, goesOn, round: disk }),
    new Repeated({ everyMs: usageEveryMs, shareMax, goesOn, round: usage }),
  ];
  for (const look of looks) look.begin();
  return () => {
    for (const look of looks) look.close();
  };
}
