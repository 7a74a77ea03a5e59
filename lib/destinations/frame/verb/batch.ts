import {
  type DestinationDefinition,
  DestinationFailure,
  type Driver,
  type PutItem,
  type PutOutcome,
  type PutReceipt,
} from '../../contract.ts';
import { unfit } from '../rules/fit.ts';
import { cannot, type Explain, ended, newWriteTracker, type WriteTracker } from './verb.ts';

/** One of several puts, whose name and value fit. */
export interface BatchedPut {
  readonly item: PutItem;
  /** Follows the calls that change something for this item. */
  readonly tracker: WriteTracker;
}

/** What became of each item: its version, or why it was not written. Who is not in it is open. */
export type Settled = Map<PutItem, PutReceipt | DestinationFailure>;

/**
 * Several puts in one verb, which settles each. What it throws is the failure of all that are open then; what it leaves open
 * fails too: the system did not say what became of it.
 */
export type PutMany = (puts: readonly BatchedPut[], settled: Settled, signal: AbortSignal) => Promise<void>;

/** `putMany` of a driver: one outcome per item, in order, each failure with what was to be done in front. */
export function putManyOf(
  definition: DestinationDefinition,
  putMany: PutMany,
  explain: Explain,
): NonNullable<Driver['putMany']> {
  return async (items, signal) => {
    const settled: Settled = new Map();
    const puts = items.map((item) => ({ item, tracker: newWriteTracker((error) => explain(error).kind) }));
    const fitting = puts.filter(({ item }) => {
      const refusal = unfit(definition, item);
      if (refusal !== undefined) settled.set(item, refusal);
      return refusal === undefined;
    });
    try {
      signal.throwIfAborted();
      await putMany(fitting, settled, signal);
    } catch (error) {
      const failure = ended(error, signal, explain);
      for (const { item } of fitting) if (!settled.has(item)) settled.set(item, failure);
    }
    const name = namer(settled);
    return puts.map((put) => putOutcome(put, settled.get(put.item), name));
  };
}

type Name = (item: PutItem, failure: DestinationFailure) => DestinationFailure;

function putOutcome(
  { item, tracker }: BatchedPut,
  end: PutReceipt | DestinationFailure | undefined,
  name: Name,
): PutOutcome {
  if (end !== undefined && !(end instanceof DestinationFailure)) return { ok: true, receipt: end };
  return { ok: false, failure: tracker.failed(name(item, end ?? unanswered())) };
}

/** The failure of an item that an answer does not mention. */
export const unanswered = () => new DestinationFailure('unavailable', 'the service did not say what became of it');

/** Items that share a failure go on sharing it: what is shown of a failure is worked out once. */
function namer(settled: Settled): Name {
  const named = new Map<DestinationFailure, DestinationFailure>();
  const ends = [...settled.values()];
  return (item, failure) => {
    const known = named.get(failure);
    if (known !== undefined) return known;
    const sharers = ends.filter((end) => end === failure).length;
    const made = cannot(sharers > 1 ? `write ${sharers} secrets` : `write secret ${item.name}`, failure);
    named.set(failure, made);
    return made;
  };
}

/** The outcome of the one put of a batch. @throws DestinationFailure */
export function onlyReceipt([outcome]: readonly PutOutcome[]): PutReceipt {
  if (outcome?.ok === true) return outcome.receipt;
  throw outcome?.failure ?? new DestinationFailure('internal', 'no outcome for the only put');
}
