import { z } from 'zod';
import type { Fake } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { loadFacts, loadFake } from '#destinations/load.ts';
import { countCalls } from '../calls/count.ts';
import { operations, shapes } from '../calls/operations.ts';
import type { Figure } from '../measure/figure.ts';
import { until, within } from '../measure/rounds.ts';
import type { Bench, Section } from '../section.ts';
import type { Stage } from '../stage.ts';

const limitMs = 60_000;

/** Calls of real drivers at the stand-ins, counted there: the same in every run, on every machine. */
export const callsSection: Section = {
  name: 'calls',
  title: 'Calls of one operation at the external system, at most (target)',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const { type } of definitions) {
      bench.report(`counting ${type}`);
      figures.push(...(await countType(bench, type)));
    }
    return figures;
  },
};

async function countType({ stage }: Bench, type: string): Promise<readonly Figure[]> {
  const [fake, { calls }] = await Promise.all([loadFake(type).then((startFake) => startFake()), loadFacts(type)]);
  const worker = await stage.start('worker', z.object({}), { type, driver: 'real' });
  try {
    const figures: Figure[] = [];
    for (const shape of shapes) {
      const counts = await countCalls(countedBy(stage, type, fake), shape);
      for (const operation of operations) {
        figures.push({
          what: `${type}, ${shape}: ${operation}`,
          cell: { row: [type, shape], column: operation },
          value: counts[operation],
          unit: 'calls',
          target: { bound: calls[shape][operation] },
        });
      }
    }
    return figures;
  } finally {
    await Promise.all([worker.end(), fake.close()]);
  }
}

const countedBy = (stage: Stage, type: string, fake: Fake) => ({
  type,
  destination: fake.destination,
  write: stage.write,
  settled: () => within(limitMs, settled(stage)),
  calls: () => [...fake.calls().values()].reduce((sum, count) => sum + count, 0),
});

async function settled({ database }: Stage): Promise<void> {
  const count = async (condition: string) =>
    (await database.query(`select from associations where ${condition}`)).rowCount ?? 0;
  await until(async () => (await count('generation > observed_generation')) === 0);
  if ((await count(`status like '%ERROR'`)) > 0) throw new Error('a push has failed');
}
