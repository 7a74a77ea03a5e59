import { z } from 'zod';
import { openSweeper } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { sweepRegularly } from '../../process/sweeping.ts';
import { tableLines } from '../../show/table.ts';
import type { Terminal } from '../../show/terminal.ts';
import { within } from '../measure/rounds.ts';
import type { Process } from '../processes/process.ts';
import type { Stage } from '../stage.ts';
import { judge, type Sample } from './flat.ts';
import { prepare, type Service, use } from './use.ts';

const roundMs = 1_000;
const sampleMs = 5_000;
const reportMs = 60_000;
/** Time limits of the preparation and of one round, on a loaded machine. */
const prepareMsMax = 300_000;
const roundMsMax = 120_000;

const fakesReady = z.object({ destinations: z.array(z.object({ type: z.string(), body: z.looseObject({}) })) });

interface Watched {
  readonly name: string;
  readonly process: Process<unknown>;
  readonly samples: Sample[];
}

/**
 * Light use of an API and a worker, each in its own process, for the given minutes. Returns whether the memory of both stayed flat
 * and small.
 *
 * @throws Error when a request failed, or nothing reached the destinations
 */
export async function runSoak(stage: Stage, terminal: Terminal, minutes: number): Promise<boolean> {
  const fakes = await stage.start('fakes', fakesReady);
  const api = await stage.start('api', z.object({ address: z.string() }));
  const worker = await stage.start('workers', z.object({}));
  const sweeper = await openSweeper({ config: readConfig(stage.environment), log: silentLog });
  const endSweep = await sweepRegularly(sweeper, 2_000, silentLog);
  const service = { address: api.ready.address, token: stage.rootToken, destinations: fakes.ready.destinations };
  const watched = [watch('API', api), watch('worker', worker)];
  try {
    terminal.line(terminal.styled('dim', 'making destinations, secrets and associations'));
    await within(prepareMsMax, prepare(service));
    const rounds = await useFor(minutes * 60_000, service, watched, terminal);
    const { calls } = await fakes.ask('calls', z.object({ calls: z.number() }));
    if (calls < rounds) throw new Error(`${rounds} rounds, but only ${calls} calls of the destinations`);
    terminal.line(`${rounds} rounds of use in ${minutes} minutes, ${calls} calls of the destinations`);
    return conclude(terminal, watched);
  } finally {
    await endSweep();
  }
}

const watch = (name: string, process: Process<unknown>): Watched => ({ name, process, samples: [] });

/** Returns the number of rounds. Rounds never overlap: a long one delays the next. */
async function useFor(
  forMs: number,
  service: Service,
  watched: readonly Watched[],
  terminal: Terminal,
): Promise<number> {
  const began = performance.now();
  let [sampled, reportAt, round] = [0, 0, 0];
  for (; performance.now() - began < forMs; round += 1) {
    await within(roundMsMax, use(service, round));
    const now = performance.now() - began;
    if (now >= sampled) {
      for (const one of watched) await sample(one);
      sampled = now + sampleMs;
    }
    if (now >= reportAt) {
      terminal.line(
        terminal.styled(
          'dim',
          `${String(Math.round(now / 60_000)).padStart(4)} min  ${watched.map(lastOf).join('   ')}`,
        ),
      );
      reportAt += reportMs;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + (round + 1) * roundMs - performance.now())));
  }
  return round;
}

async function sample({ process, samples }: Watched): Promise<void> {
  const { rss, heapUsed } = await process.memory();
  samples.push({ rss, heap: heapUsed });
}

const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0);

const lastOf = ({ name, samples }: Watched): string => {
  const { rss, heap } = samples.at(-1) ?? { rss: 0, heap: 0 };
  return `${name} ${megabytes(rss)} MB resident, ${megabytes(heap)} MB heap`;
};

function conclude(terminal: Terminal, watched: readonly Watched[]): boolean {
  const verdicts = watched.map(({ name, samples }) => ({ name, ...judge(samples) }));
  const rows = verdicts.map(({ name, rssMax, rss, heap, problems }) => [
    name,
    ...[rss.before, rss.after, rssMax, heap.before, heap.after].map(megabytes),
    problems.length === 0 ? terminal.styled('green', 'flat') : terminal.styled('red', problems.join(', ')),
  ]);
  const numbers = ['resident, 2nd third', 'last third', 'most', 'heap left, 2nd third', 'last third'];
  const columns = [{ title: 'MB' }, ...numbers.map((title) => ({ title, align: 'right' as const })), { title: '' }];
  for (const line of tableLines(columns, rows)) terminal.line(line);
  return verdicts.every(({ problems }) => problems.length === 0);
}
