import { type DestinationDefinition, DestinationFailure, type Driver } from '#destinations/contract.ts';
import type { Store } from '#store/store.ts';
import type { Claimed } from '../claim/claim.ts';
import { type Intend, type Intent, type IntentAnswer, intendTags, withdraw } from '../claim/intents.ts';
import { actsAsRecheck } from '../claim/rechecks.ts';
import type { RecheckTimes } from '../model/unconfirmed.ts';
import type { Written } from '../model/written.ts';
import { type ActResult, pushAll, removeAll } from './act.ts';
import type { ActParts } from './act-parts.ts';
import type { AttemptBudget } from './attempt-budget.ts';
import { asPlanned } from './bound/as-planned.ts';
import { markOf, tagsOf } from './plan/decide.ts';
import type { Plan, Put } from './plan/plan.ts';

export interface PerformParts {
  readonly definition: DestinationDefinition;
  readonly store: Store;
  readonly intend: Intend;
  readonly recheck: RecheckTimes;
  /** `perform` closes the driver when the attempt is over. */
  readonly openDriver: (destinationId: string, revision: number) => Promise<Driver | undefined>;
}

/**
 * Carries out a plan: records the intents of new names, pushes, withdraws the intents that led to nothing, and removes. Returns
 * a result for every object, including failures.
 */
export async function perform(
  parts: PerformParts,
  claim: Claimed,
  decided: Plan,
  budget: AttemptBudget,
): Promise<readonly ActResult[]> {
  const kept = decided.kept.map((put): ActResult => ({ kind: 'kept', put }));
  if (decided.puts.length + decided.removes.length === 0) return kept;
  const driver = await openFor(parts, claim);
  if (driver instanceof DestinationFailure) return [...kept, ...allFailed(decided, driver)];
  try {
    const recheck = actsAsRecheck(claim.unconfirmed, parts.recheck);
    const shared: ActParts = { definition: parts.definition, driver, budget, recheck };
    if (!claim.planned) return [...kept, ...(await carryOut(parts, claim, decided, shared))];
    const bound = await asPlanned(parts, claim, decided, driver, budget).catch(asFailure);
    if (bound instanceof DestinationFailure) return [...kept, ...untouched(decided, bound)];
    const left = bound.decided.kept.map((put): ActResult => ({ kind: 'kept', put }));
    const gone = bound.gone.map((object): ActResult => ({ kind: 'removed', object }));
    return [...left, ...gone, ...(await carryOut(parts, claim, bound.decided, shared))];
  } finally {
    await driver.close();
  }
}

async function carryOut(
  parts: PerformParts,
  claim: Claimed,
  decided: Plan,
  shared: ActParts,
): Promise<readonly ActResult[]> {
  const { prepared, refused } = await prepare(parts, claim, decided.puts);
  const pushed = await pushAll(shared, prepared);
  await withdrawUnwritten(parts, claim, pushed);
  const removes = decided.removes.filter(hasReplacement(claim, [...pushed, ...refused]));
  return [...refused, ...pushed, ...(await removeAll(shared, removes))];
}

/**
 * The copy under an old name stays until the one under the new name exists. When the granularity has changed, the old objects
 * stay until all new ones exist.
 */
function hasReplacement(claim: Claimed, results: readonly ActResult[]): (object: Written) => boolean {
  const open = new Set(results.flatMap((result) => ('subKey' in result ? [result.subKey] : [])));
  const whole = claim.granularity === 'secret-path';
  return ({ subKey }) => open.size === 0 || (!open.has(subKey) && (subKey === '') === whole);
}

async function openFor(parts: PerformParts, claim: Claimed): Promise<Driver | DestinationFailure> {
  try {
    const driver = await parts.openDriver(claim.destinationId, claim.destinationRevision);
    return (
      driver ?? new DestinationFailure('missing', `destination ${claim.type}/${claim.destinationName} no longer exists`)
    );
  } catch (cause) {
    return asFailure(cause);
  }
}

function asFailure(cause: unknown): DestinationFailure {
  if (cause instanceof DestinationFailure) return cause;
  throw cause;
}

/** The results when looks alone were made: every object is as it was. */
function untouched(decided: Plan, failure: DestinationFailure): readonly ActResult[] {
  const failed = ({ subKey, name, nameKey }: Pick<Put, 'subKey' | 'name' | 'nameKey'>): ActResult => ({
    kind: 'failed',
    subKey,
    name,
    failure,
    unaffected: nameKey,
  });
  return [...decided.puts, ...decided.removes].map(failed);
}

function allFailed(decided: Plan, failure: DestinationFailure): readonly ActResult[] {
  const puts = decided.puts.map(
    (put): ActResult => ({ kind: 'failed', subKey: put.subKey, name: put.name, failure, put }),
  );
  const removes = decided.removes.map(({ subKey, name }): ActResult => ({ kind: 'failed', subKey, name, failure }));
  return [...puts, ...removes];
}

/** Records the intents of new names and tags, and refuses names that another secret of this destination holds. */
async function prepare(parts: PerformParts, claim: Claimed, puts: readonly Put[]) {
  const fresh = puts.filter((put) => put.before === undefined);
  const tagKeys = Object.keys(claim.tags);
  const names: Intent[] = fresh.map(({ subKey, name, nameKey }) => {
    const mark = markOf(parts.store.barrier, claim.id, nameKey);
    return { subKey, name, nameKey, mark, tagKeys };
  });
  const widened = puts.filter(({ before }) => before && tagKeys.some((key) => !before.tagKeys.includes(key)));
  await intendTags(
    parts.store,
    claim.id,
    widened.map(({ nameKey }) => nameKey),
    tagKeys,
  );
  const answers = await parts.intend({ associationId: claim.id, destinationId: claim.destinationId, names });
  const refused: ActResult[] = [];
  const prepared = puts.flatMap((put) => {
    const mark = put.before?.mark ?? markOf(parts.store.barrier, claim.id, put.nameKey);
    const answer = answers.get(put.nameKey);
    const noted = put.before?.intendedAt ?? answer?.intendedAt;
    if (noted !== undefined && (answer?.takenBy ?? null) === null) {
      // The database recorded this time; drivers compare it with the clock of this worker.
      const intendedAt = new Date(noted.getTime() - claim.storeAheadMs);
      const tags = tagsOf(parts.definition, claim.tags, mark);
      return [{ put, mark, intendedAt, intent: String(noted.getTime()), tags }];
    }
    refused.push({ kind: 'failed', subKey: put.subKey, name: put.name, failure: nameTaken(put, answer), put });
    return [];
  });
  return { prepared, refused };
}

/** The recheck that frees a name runs some time after it is due: the sweep begins it, and it may need a second attempt. */
const freedLateMs = 15_000;

function nameTaken({ name }: Put, answer: IntentAnswer | undefined): DestinationFailure {
  const { takenBy = null, freeAfterMs = null } = answer ?? {};
  const holder = takenBy === null ? 'another secret' : JSON.stringify(takenBy);
  if (freeAfterMs !== null) {
    const why = `a late write of ${holder}, which had this name at this destination, may still arrive: it will be retried`;
    const retryAfterMs = freeAfterMs + freedLateMs;
    return new DestinationFailure('internal', `the name ${JSON.stringify(name)} is not free yet: ${why}`, {
      retryAfterMs,
    });
  }
  const advice = 'make secret_name_template tell them apart, or remove one of the associations';
  return new DestinationFailure(
    'conflict',
    `the name ${JSON.stringify(name)} already belongs to ${holder} at this destination: ${advice}`,
  );
}

/**
 * Withdraws the intents of puts that wrote nothing: those that met a foreign object, and first puts that left the remote
 * untouched. An object that another client creates under this name later is then not ours to remove. If an earlier put of the
 * same intent may have written something, only a conflict proves the opposite.
 */
async function withdrawUnwritten(parts: PerformParts, claim: Claimed, results: readonly ActResult[]): Promise<void> {
  const unwritten = results.flatMap((result) => {
    if (result.kind !== 'failed' || result.put === undefined) return [];
    const { failure, put } = result;
    const foreign = put.mode === 'create' && failure.kind === 'conflict';
    return foreign || (put.before === undefined && failure.untouched) ? [put.nameKey] : [];
  });
  await withdraw(parts.store, claim.id, claim.token, unwritten);
}
