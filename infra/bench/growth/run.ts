import { z } from 'zod';
import { tableLines } from '../../show/table.ts';
import type { Terminal } from '../../show/terminal.ts';
import { progress } from '../million/progress.ts';
import type { Stage } from '../stage.ts';
import { type Cost, measure } from './cost.ts';
import { type Filled, fill, makeDestinations, type } from './fill.ts';
import { backgroundSteps, requestSteps } from './steps.ts';

/** Maximum cost of an item in the large store, as a multiple of its cost in the small one. */
const growthMax = 1.5;
const nothing: Filled = { secrets: 0, paths: [], tokens: [] };

/**
 * Number of secrets at the start and at the end. Each has five versions, an association and an external object; every second one
 * has a token.
 */
export interface Growth {
  readonly small: number;
  readonly large: number;
  readonly used: number;
}

export const usualGrowth = (quick: boolean, large: number): Growth =>
  quick ? { small: 2_000, large: 20_000, used: 100 } : { small: 100_000, large, used: 1_000 };

/**
 * Measures what single items cost in a small store, fills it by SQL, and measures again. True: nothing costs more than 1.5 times as
 * much, neither by the clock nor in pages that PostgreSQL looks at, and no step reads a whole table.
 */
export async function runGrowth(stage: Stage, terminal: Terminal, { small, large, used }: Growth): Promise<boolean> {
  const report = progress(terminal);
  await makeDestinations(stage);
  const few = await fill(stage, nothing, small, used, report);
  const before = await costs(stage, few, used, terminal);
  const many = await fill(stage, few, large, used, report);
  const after = await costs(stage, many, used, terminal);
  const rows = before.map((cost, index) => ({ before: cost, after: after[index] ?? cost }));
  for (const line of tableLines(columnsOf(small, large), rows.map(cells))) terminal.line(`  ${line}`);
  const isFlat = rows.every(
    ({ before: one, after: other }) => grew(one, other) <= growthMax && other.wholeTables === 0,
  );
  terminal.line(
    terminal.styled(
      isFlat ? 'green' : 'red',
      isFlat ? `nothing grew beyond ${growthMax}` : 'something grew: see above',
    ),
  );
  return isFlat;
}

export async function costs(stage: Stage, filled: Filled, count: number, terminal: Terminal): Promise<readonly Cost[]> {
  const used = { ...filled, count };
  const measured: Cost[] = [];
  const all = async (steps: Parameters<typeof measure>[1][]) => {
    for (const step of steps) {
      const cost = await measure(stage, step);
      const { what, milliseconds, pages, wholeTables } = cost;
      const figures = `${milliseconds.toPrecision(3)} ms, ${pages.toPrecision(3)} pages, ${wholeTables} tables read`;
      terminal.line(terminal.styled('dim', `  ${filled.secrets} secrets: ${what}: ${figures}`));
      measured.push(cost);
    }
  };
  const worker = await stage.start('worker', z.object({}), { type, driver: 'stand-in' });
  const background = await backgroundSteps(stage, used);
  try {
    await all([...requestSteps(stage, used), ...background.steps]);
  } finally {
    await Promise.all([worker.end(), background.close()]);
  }
  return measured;
}

/** The larger of both: a busy machine affects only the time, and one with much memory only the pages. */
const grew = (before: Cost, after: Cost): number =>
  Math.max(after.milliseconds / before.milliseconds, after.pages / before.pages);

const columnsOf = (small: number, large: number) =>
  [
    'each',
    `ms at ${small}`,
    `ms at ${large}`,
    'ratio',
    `pages at ${small}`,
    `pages at ${large}`,
    'ratio',
    'tables read',
  ].map((title, index) => (index === 0 ? { title } : { title, align: 'right' as const }));

const cells = ({ before, after }: { readonly before: Cost; readonly after: Cost }): readonly string[] => [
  before.what,
  before.milliseconds.toPrecision(3),
  after.milliseconds.toPrecision(3),
  (after.milliseconds / before.milliseconds).toFixed(2),
  before.pages.toPrecision(3),
  after.pages.toPrecision(3),
  (after.pages / before.pages).toFixed(2),
  String(after.wholeTables),
];
