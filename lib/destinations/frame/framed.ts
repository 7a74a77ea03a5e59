import type {
  DestinationDefinition,
  Driver,
  Inspection,
  ListFrom,
  ListPage,
  PutItem,
  PutReceipt,
  RemoveItem,
  Survey,
} from '../contract.ts';
import { unfit } from './rules/fit.ts';
import { unknownIfForbidden } from './rules/found.ts';
import { onlyReceipt, type PutMany, putManyOf } from './verb/batch.ts';
import { checkOf, type Permission } from './verb/check.ts';
import { type Explain, newWriteTracker, tracked, unexpected, verb, type WriteTracker } from './verb/verb.ts';

/** The verbs that each driver implements; `framed` adds the rest. */
interface CommonVerbs {
  /** As in `Driver`. */
  remove(item: RemoveItem, signal: AbortSignal): Promise<void>;
  /** `inspect` of a `Driver`. */
  look(name: string, signal: AbortSignal): Promise<Inspection | undefined | 'unknown'>;
  /** As in `Driver`. */
  survey?(names: readonly string[], signal: AbortSignal): Promise<Survey>;
  /** As in `Driver`, for objects whose names may have another prefix too: `framed` leaves them out. */
  list?(from: ListFrom, signal: AbortSignal): Promise<ListPage>;
  /** What `check` tests. */
  readonly permissions: readonly Permission[];
  close(): Promise<void>;
  /** Not needed when the calls of this driver throw only `DestinationFailure`. */
  readonly explain?: Explain;
}

/** Puts an item whose name and value fit. `tracker` follows the calls that change something. */
type Put = (item: PutItem, tracker: WriteTracker, signal: AbortSignal) => Promise<PutReceipt>;

export type Verbs = CommonVerbs & ({ readonly put: Put } | { readonly putMany: PutMany });

/**
 * Makes a driver from a system's own verbs, and adds what all drivers have in common: a verb ends with its signal, a put with an
 * invalid name or value makes no call, the failure of a put shows whether anything was written, and all errors have one form:
 * "cannot write secret X: ...", "cannot remove secret X: ...", "cannot look at secret X: ...".
 */
export function framed(definition: DestinationDefinition, verbs: Verbs): Driver {
  const { explain = unexpected } = verbs;
  const survey = verbs.survey?.bind(verbs);
  const list = verbs.list?.bind(verbs);
  const common = {
    remove: (item: RemoveItem, signal: AbortSignal) =>
      verb(`remove secret ${item.name}`, signal, explain, () => verbs.remove(item, signal)),
    inspect: (name: string, signal: AbortSignal) =>
      verb(`look at secret ${name}`, signal, explain, () => verbs.look(name, signal)),
    ...(survey !== undefined && {
      survey: (names: readonly string[], signal: AbortSignal) =>
        verb('list the secrets', signal, explain, () => survey(names, signal)),
    }),
    ...(list !== undefined && {
      list: (from: ListFrom, signal: AbortSignal) =>
        verb('list the secrets', signal, explain, () =>
          list(from, signal).then((page) => selected(definition, from, page), unlessForbidden(explain)),
        ),
    }),
    check: checkOf(verbs.permissions, explain),
    close: () => verbs.close(),
  };
  if (!('putMany' in verbs)) return { ...common, put: putOf(definition, verbs.put, explain) };
  const putMany = putManyOf(definition, verbs.putMany, explain);
  return { ...common, putMany, put: async (item, signal) => onlyReceipt(await putMany([item], signal)) };
}

/** The objects of a page whose names have the prefix. Systems that select by it may take it for any part of a name. */
function selected({ names }: DestinationDefinition, { prefix }: ListFrom, { objects, after }: ListPage): ListPage {
  const start = names.key(prefix);
  return { objects: objects.filter(({ name }) => names.key(name).startsWith(start)), after };
}

const unlessForbidden = (explain: Explain) => (error: unknown) => unknownIfForbidden(explain(error));

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
