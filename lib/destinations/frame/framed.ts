import type {
  DestinationDefinition,
  Driver,
  Inspection,
  PutItem,
  PutReceipt,
  RemoveItem,
  Survey,
} from '../contract.ts';
import { unfit } from './rules/fit.ts';
import { onlyReceipt, type PutMany, putManyOf } from './verb/batch.ts';
import { type Explain, newWriteTracker, tracked, unexpected, verb, type WriteTracker } from './verb/verb.ts';

/** What a driver writes itself. The frame has the rest: see `framed`. */
interface CommonVerbs {
  /** As in `Driver`. */
  remove(item: RemoveItem, signal: AbortSignal): Promise<void>;
  /** `inspect` of a `Driver`. */
  look(name: string, signal: AbortSignal): Promise<Inspection | undefined | 'unknown'>;
  /** As in `Driver`. */
  survey?(names: readonly string[], signal: AbortSignal): Promise<Survey>;
  close(): Promise<void>;
  /** Absent: the calls of this driver throw `DestinationFailure` only. */
  readonly explain?: Explain;
}

/** Name and value fit. `tracker` follows the calls that change something. */
type Put = (item: PutItem, tracker: WriteTracker, signal: AbortSignal) => Promise<PutReceipt>;

export type Verbs = CommonVerbs & ({ readonly put: Put } | { readonly putMany: PutMany });

/**
 * Makes a driver of a system's own verbs. What all drivers do in the same way is here: a verb ends with its signal, a put that
 * cannot fit makes no call, a failure of a put says whether anything was written, and every error has one grammar: "cannot
 * write secret X: ...", "cannot remove secret X: ...", "cannot look at secret X: ...".
 */
export function framed(definition: DestinationDefinition, verbs: Verbs): Driver {
  const { explain = unexpected } = verbs;
  const survey = verbs.survey?.bind(verbs);
  const common = {
    remove: (item: RemoveItem, signal: AbortSignal) =>
      verb(`remove secret ${item.name}`, signal, explain, () => verbs.remove(item, signal)),
    inspect: (name: string, signal: AbortSignal) =>
      verb(`look at secret ${name}`, signal, explain, () => verbs.look(name, signal)),
    ...(survey !== undefined && {
      survey: (names: readonly string[], signal: AbortSignal) =>
        verb('list the secrets', signal, explain, () => survey(names, signal)),
    }),
    close: () => verbs.close(),
  };
  if (!('putMany' in verbs)) return { ...common, put: putOf(definition, verbs.put, explain) };
  const putMany = putManyOf(definition, verbs.putMany, explain);
  return { ...common, putMany, put: async (item, signal) => onlyReceipt(await putMany([item], signal)) };
}

function putOf(definition: DestinationDefinition, put: Put, explain: Explain): Driver['put'] {
  return (item, signal) => {
    const tracker = newWriteTracker((error) => explain(error).kind);
    const run = async () => {
      const refusal = unfit(definition, item);
      if (refusal !== undefined) throw refusal;
      return put(item, tracker, signal);
    };
    return tracked(tracker, () => verb(`write secret ${item.name}`, signal, explain, run));
  };
}
