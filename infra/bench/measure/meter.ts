import type { Process } from '../processes/process.ts';
import { type Figure, median, type Target } from './figure.ts';
import { compare } from './rounds.ts';

/** What a process did in one round. */
export interface Done {
  readonly perSecond: number;
  readonly count: number;
}

/** A process and its work. */
export interface Side {
  readonly process: Process<unknown>;
  work(): Promise<Done>;
}

export interface Versus {
  readonly what: string;
  readonly rounds: number;
  readonly limitMs: number;
  readonly ours: Side;
  readonly bare: Side;
  readonly target?: Target;
}

/**
 * Two figures of two processes with the same work: their rate, and the processor time of each per operation. The second hardly
 * depends on other work of the machine, so it shows changes of the program that the first one hides.
 */
export async function versus({ what, rounds, limitMs, ours, bare, target }: Versus): Promise<readonly Figure[]> {
  const cpu: { readonly ours: number[]; readonly bare: number[] } = { ours: [], bare: [] };
  const measureOurs = () => metered(ours, cpu.ours);
  const { value, ...compared } = await compare(rounds, limitMs, measureOurs, () => metered(bare, cpu.bare));
  const [each, baseline] = [median(cpu.ours), median(cpu.bare)];
  return [
    { what, value, unit: '1/s', compared, ...(target === undefined ? {} : { target }) },
    {
      what: '  processor time of the process, each',
      value: each,
      unit: 'ms',
      compared: { baseline, ratio: each / baseline },
    },
  ];
}

async function metered({ process, work }: Side, cpuMsEach: number[]): Promise<number> {
  const before = await process.cpuMs();
  const { perSecond, count } = await work();
  cpuMsEach.push(((await process.cpuMs()) - before) / count);
  return perSecond;
}
