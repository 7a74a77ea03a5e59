import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { EnforcedLimit } from '#destinations/facts.ts';
import { definitions } from '#destinations/index.ts';
import { loadFacts } from '#destinations/load.ts';
import type { Operation } from '#queue/contract.ts';
import { type Associations, associate } from '../baseline/associations.ts';
import type { Figure } from '../measure/figure.ts';
import type { Process } from '../processes/process.ts';
import type { Bench, Section } from '../section.ts';
import type { Stage } from '../stage.ts';

const fakesReady = z.object({
  destinations: z.array(z.object({ type: z.string(), body: z.record(z.string(), z.unknown()) })),
});
const counts = {
  admitted: z.number(),
  possible: z.number(),
  calls: z.number(),
  throttled: z.number(),
  over: z.boolean(),
};
const limitsShape = z.object({ limits: z.array(z.object({ type: z.string(), ...counts })) });

type Fakes = Process<z.output<typeof fakesReady>>;
type Measured = z.output<typeof limitsShape>['limits'][number] & { readonly destinations: number };

/** So many associations that some always wait, although each is pushed again only after a while. */
const associationsMin = 40;
const associatedSeconds = 6;
const againMs = 500;
const capacity = 1_000_000;

/** The limits of types that are measured at the same time, together. */
const perSecondMax = 10;

/**
 * Every type against a stand-in with the limit that its provider publishes, which refuses what exceeds it. A worker has more to push than
 * the limit allows: to one destination of an account, and to two of another account.
 */
export const ratesSection: Section = {
  name: 'rates',
  title: 'Calls near the limit of the provider (target)',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const round of roundsOf(await measuredSeconds(bench.quick)))
      figures.push(...(await measureRound(bench, round)));
    return figures;
  },
};

/** Types, and for how many seconds each is measured. */
type Round = Readonly<Record<string, number>>;

/** A minute, or three windows where those are longer. */
async function measuredSeconds(quick: boolean): Promise<Round> {
  const secondsOf = ({ seconds }: EnforcedLimit) => (quick ? Math.max(20, seconds) : Math.max(60, 3 * seconds));
  const entries = definitions.map(async ({ type }) => [type, secondsOf((await loadFacts(type)).enforced)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

const perSecondOf = (type: string): number =>
  definitions.find((definition) => definition.type === type)?.rate.callsPerSecond ?? 0;

/** Types with slow limits share a round, so that the machine is not the limit. */
function roundsOf(seconds: Round): readonly Round[] {
  const rounds: { types: Record<string, number>; perSecond: number }[] = [];
  for (const [type, measured] of Object.entries(seconds).sort(([, one], [, other]) => other - one)) {
    const perSecond = perSecondOf(type);
    const fitting = rounds.find(
      (round) => round.perSecond + perSecond <= perSecondMax && isLike(round.types, measured),
    );
    if (fitting === undefined) rounds.push({ types: { [type]: measured }, perSecond });
    else {
      fitting.types[type] = measured;
      fitting.perSecond += perSecond;
    }
  }
  return rounds.map(({ types }) => types);
}

const isLike = (types: Round, seconds: number): boolean => Object.values(types).every((one) => one === seconds);

async function measureRound(bench: Bench, round: Round): Promise<readonly Figure[]> {
  const accounts = [await filled(bench, 1, round), await filled(bench, 2, round)];
  const worker = await bench.stage.start('workers', z.object({}), { types: Object.keys(round) });
  try {
    bench.report(`${Object.keys(round).join(', ')}: pushing for ${Math.max(...Object.values(round))} s`);
    const measured = await pushed(bench.stage, accounts, Object.keys(round));
    return measured.flatMap(figuresOf);
  } finally {
    await Promise.all([worker.end(), ...accounts.map(({ close }) => close())]);
  }
}

interface Account {
  readonly destinations: number;
  readonly fakes: Fakes;
  readonly associations: readonly Associations[];
  close(): Promise<void>;
}

/** Destinations of every type, at stand-ins of their own, each with its own secrets. */
async function filled({ stage, report }: Bench, destinations: number, round: Round): Promise<Account> {
  const fakes: Fakes = await stage.start('fakes', fakesReady, { limitedSeconds: round });
  const associations: Associations[] = [];
  for (const { type, body } of fakes.ready.destinations) {
    if (!(type in round)) continue;
    report(`${type}: ${destinations} at one account`);
    const secrets = Math.max(associationsMin, associatedSeconds * perSecondOf(type));
    for (let index = 0; index < destinations; index += 1) {
      const name = `rates-${type}-${destinations}-${index}`;
      associations.push(await associate(stage, { type, destination: body, name, destinations: 1, secrets }));
    }
  }
  const close = async () => {
    await Promise.all([fakes.end(), ...associations.map((one) => one.close())]);
  };
  return { destinations, fakes, associations, close };
}

/** Marks what was pushed as outdated again until every stand-in has measured long enough. */
async function pushed(
  { database }: Stage,
  accounts: readonly Account[],
  types: readonly string[],
): Promise<readonly Measured[]> {
  const queue = accounts[0]?.associations[0]?.queue;
  if (queue === undefined) throw new Error('there is nothing to push');
  await queue.resume();
  for (;;) {
    const { rows } = await database.query<Operation>(again, [types]);
    await queue.enqueue(rows, capacity);
    await sleep(againMs);
    const measured = await Promise.all(accounts.map(countsOf));
    if (measured.flat().every(({ over }) => over)) return measured.flat();
  }
}

const again = `
  update associations set generation = generation + 1, forced_generation = generation + 1, status = 'PENDING'
   where generation = observed_generation and type = any($1) and secret_name like 'rates-%'
  returning id::text as id, type, destination_id::text as destination_id, generation, false as waiting`;

async function countsOf({ fakes, destinations }: Account): Promise<readonly Measured[]> {
  const { limits } = await fakes.ask('limits', limitsShape);
  return limits.map((one) => ({ ...one, destinations }));
}

function figuresOf({ type, destinations, admitted, possible, calls, throttled }: Measured): readonly Figure[] {
  const row = [type, destinations === 1 ? 'one destination' : `${destinations} of one account`];
  const what = row.join(', ');
  const part = (share: number) => Math.round(share * 10_000) / 100;
  const ratio = admitted / possible;
  return [
    {
      what: `${what}: admitted`,
      cell: { row, column: 'admitted, % of the limit (95)' },
      value: part(ratio),
      unit: '%',
      compared: { baseline: 100, ratio },
      target: { share: 0.95 },
    },
    {
      what: `${what}: throttled`,
      cell: { row, column: 'throttled, % of the calls' },
      value: part(throttled / calls),
      unit: '%',
      target: { bound: 1 },
    },
  ];
}
