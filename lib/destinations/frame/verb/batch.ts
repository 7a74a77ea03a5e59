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

/** The outcome of each item: its version, or why it was not written. Items without an outcome are open. */
export type Settled = Map<PutItem, PutReceipt | DestinationFailure>;

/**
 * Several puts in one verb, which settles each. An error that it throws is the failure of all open items. Items that it leaves open
 * fail too, because the system did not report their outcome.
 */
export type PutMany = (puts: readonly BatchedPut[], settled: Settled, signal: AbortSignal) => Promise<void>;

/** `putMany` of a driver: one outcome per item, in order. The message of each failure begins with the action. */
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
export const unanswered = () => new DestinationFailure('unavailable', 'the service did not report the outcome');

/** Items that share a failure share its new message too, so that each failure is redacted once. */
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

/** The receipt of a batch of one put. @throws DestinationFailure */
export function onlyReceipt([outcome]: readonly PutOutcome[]): PutReceipt {
  if (outcome?.ok === true) return outcome.receipt;
  throw outcome?.failure ?? new DestinationFailure('internal', 'the only put has no outcome');
}
