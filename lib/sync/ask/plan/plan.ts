import type { Store } from '#store/store.ts';
import type { Claimed } from '../../claim/claim.ts';
import { type Destination, type DriverParts, type DriverSettings, openWith } from '../../drivers/drivers.ts';
import { type DecideParts, decide } from '../../reconcile/plan/decide.ts';
import { type DecidedOne, judgedObjects, nameKeysOf, namesToSee } from '../../reconcile/plan/judged.ts';
import type { Planned } from '../../reconcile/plan/planned.ts';
import { type Holder, takenNames } from '../../reconcile/plan/taken.ts';
import type { Tally } from '../pace.ts';
import { withinTimes } from '../times.ts';
import { loadUnclaimed } from './load.ts';
import { Looks } from './looks.ts';

export interface PlanQuestion extends DriverSettings {
  readonly destinationId: string;
  /** Ids of associations, in order. */
  readonly associations: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  /** Of the destination. */
  readonly adopt: boolean;
  /** As if the associations were set again with these. Absent: as they are. */
  readonly set?: { readonly granularity: 'secret-path' | 'secret-key'; readonly template: string } | undefined;
}

export interface PlanParts extends DriverParts, Pick<DecideParts, 'compile'> {
  readonly currentSecret: (mountId: string, secretName: string) => Promise<{ readonly json: string } | undefined>;
}

export interface PlanAnswer {
  readonly planned: readonly Planned[];
  /** How many of the associations are planned. At least one, unless there is none. */
  readonly done: number;
}

/** Time in which looks may begin, and the deadlines of one connection and request, so that all fits into an answer; in milliseconds. */
const looksMs = 4_000;
const connectMsMax = 2_000;
const requestMsMax = 2_500;

/**
 * Decides what a sync of these associations would do, by looks alone: it writes nothing, here or there, and no value leaves the worker.
 * @param tally counts the calls, also of a plan that fails midway
 * @throws DestinationFailure when the destination cannot be looked at
 */
export async function planFor(
  destination: Destination,
  all: PlanParts,
  question: PlanQuestion,
  tally: Tally,
  signal: AbortSignal,
): Promise<PlanAnswer> {
  const parts = withinTimes(all, { connectMs: connectMsMax, requestMs: requestMsMax });
  const driver = openWith(destination, parts, question);
  try {
    const looks = new Looks(destination.definition, driver, signal, looksMs, tally);
    const found = await inOrder(parts.store, question);
    const decided = await Promise.all(found.map((one) => decideOne(destination, parts, withChanges(one, question))));
    const taken = await takenNames(parts.store, question.destinationId, decided.flatMap(nameKeysOf));
    const planned: Planned[] = [];
    let last: string | undefined;
    for (const one of decided) {
      const { association } = one;
      if (last !== undefined && looks.isOver) break;
      const own = await planOne(destination, parts.store, one, taken, looks);
      // What was not looked at in full has its turn in the next answer, unless it is the first of this one.
      if (last !== undefined && looks.isOver && own.some(({ looked }) => !looked)) break;
      planned.push(...own);
      last = association.id;
    }
    return { planned, done: doneUpTo(question.associations, last, found.length) };
  } finally {
    await driver.close();
  }
}

async function inOrder(store: Store, { destinationId, associations }: PlanQuestion): Promise<readonly Claimed[]> {
  const found = new Map((await loadUnclaimed(store, destinationId, associations)).map((one) => [one.id, one]));
  return associations.flatMap((id) => found.get(id) ?? []);
}

/** Associations that were deleted meanwhile are done too. */
function doneUpTo(ids: readonly string[], last: string | undefined, found: number): number {
  return last === undefined && found === 0 ? ids.length : ids.indexOf(last ?? '') + 1;
}

const withChanges = (association: Claimed, { tags, adopt, set }: PlanQuestion): Claimed => ({
  ...association,
  tags,
  adopt: association.adopt || adopt,
  ...set,
});

async function decideOne(
  { definition }: Destination,
  { store, compile, currentSecret }: PlanParts,
  association: Claimed,
): Promise<DecidedOne> {
  const { desired, mountId, secretName } = association;
  const secret = desired === 'present' ? await currentSecret(mountId, secretName) : undefined;
  const how = { forced: false, verify: true, removeAgain: false };
  const { puts, kept, removes, refusals } = decide({ definition, store, compile }, association, secret?.json, how);
  return { association, wanted: [...puts, ...kept], removes, refusals };
}

async function planOne(
  { definition }: Destination,
  store: Store,
  one: DecidedOne,
  taken: ReadonlyMap<string, Holder>,
  looks: Looks,
): Promise<readonly Planned[]> {
  const seen = await looks.at(namesToSee(one, taken));
  return judgedObjects(definition, store.barrier, one, taken, seen);
}
