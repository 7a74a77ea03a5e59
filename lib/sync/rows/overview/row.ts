import { z } from 'zod';
import { AppError, badField } from '#core/errors.ts';
import type { Reply, ReplyWith } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { duration, type Input, text } from '#path/fields.ts';
import { longPoll } from '#path/long-poll.ts';
import type { WorkersSeen } from '#queue/contract.ts';
import { loadSettings } from '../../model/settings.ts';
import { countedDestinations, type DestinationFilter, overviewMax } from '../../records/overview/counts.ts';
import { sharedReadings } from '../../records/overview/readings.ts';
import type { SyncParts } from '../parts.ts';
import { readableOf } from '../rights/readable.ts';
import { pageOf } from './pages.ts';
import { isSelected, narrower, type Selection, selectFields, selectionOf } from './select.ts';
import { mayBeKnown, tagged, versioned } from './tagged.ts';
import { overviewView, type SeenDestination, workersView } from './view.ts';

const waitSecondsMax = 30;
/** How often a waiting request looks at the shared reading, in milliseconds. */
const lookMs = 1_000;
/** Requests that wait in this process at the same time. */
const waitersMax = 100;
/** Readings of a part of the destinations that are kept, of namespaces that have more than one reading. */
const partsMax = 20;

const fields = {
  since: text()
    .optional()
    .meta({ description: 'The `version` of an earlier reply: the reply comes when there is another' }),
  wait: duration()
    .pipe(z.int().max(waitSecondsMax, `wait must be at most ${waitSecondsMax} seconds`))
    .default(0)
    .meta({ description: `How long to wait for another version, in seconds, at most ${waitSecondsMax}; needs since` }),
  ...selectFields,
};

type ReadContext = Pick<
  RequestContext,
  'namespace' | 'vocabulary' | 'warn' | 'mustBeAllowed' | 'caller' | 'signal' | 'headers'
>;

/** The row `sys/sync/overview`. */
export function overviewRow(parts: SyncParts): Row {
  const whole = sharedReadings((namespaceId) => readOverview(parts, namespaceId));
  const narrowed = sharedReadings(
    ([namespaceId, filter]: readonly [string, DestinationFilter]) => readOverview(parts, namespaceId, filter),
    undefined,
    partsMax,
  );
  const reading = async (namespaceId: string, selection: Selection) => {
    const overview = await whole(namespaceId);
    const narrow = narrower(selection);
    return isWhole(overview) || narrow === undefined ? overview : narrowed([namespaceId, narrow]);
  };
  const wait = longPoll({ lookMs, waitersMax, waitMsMax: parts.pollMsMax });
  const run = async (input: Input<typeof fields>, context: ReadContext): Promise<Reply | ReplyWith<304>> => {
    const { since } = input;
    if (input.wait > 0 && (since === undefined || since === ''))
      throw badField(['wait', 'since'], 'wait needs since: the version to compare with');
    const selection = selectionOf(parts.definitions, input, context);
    let seen: { readonly overview: Overview; readonly shown: Awaited<ReturnType<typeof show>> } | undefined;
    // A reading of many destinations is shared for longer than the time between two looks.
    const look = async () => {
      const overview = await reading(context.namespace.id, selection);
      if (seen?.overview !== overview) seen = { overview, shown: await show(parts, overview, selection, context) };
      return seen.shown;
    };
    const isNew = (shown: Awaited<ReturnType<typeof show>>) => shown.data.version !== since;
    const waiting = { namespaceId: context.namespace.id, waitMs: input.wait * 1_000, signal: context.signal };
    return tagged(await wait(look, isNew, waiting), context);
  };
  return {
    pattern: 'sync/overview',
    help: 'Counts syncs by destination, status and kind of error, of all destinations or of those that are selected, page by page. Destinations whose associations the caller may not read are left out.',
    operations: {
      read: operation(fields, {
        summary: 'Read the numbers of all syncs',
        knownFieldsOnly: true,
        replies: mayBeKnown,
        run,
      }),
    },
  };
}

interface Overview {
  readonly destinations: readonly SeenDestination['destination'][];
  readonly gates: ReadonlyMap<string, SeenDestination['gate']>;
  readonly disabled: boolean;
  /** Undefined while Redis is unavailable. */
  readonly workers: ReadonlyMap<string, WorkersSeen> | undefined;
  readonly queue: { readonly pending: number | null; readonly capacity: number };
}

/** Whether it has all destinations of the namespace that were asked for. */
const isWhole = ({ destinations }: Overview): boolean => destinations.length <= overviewMax;

async function readOverview(
  { store, queue }: SyncParts,
  namespaceId: string,
  filter?: DestinationFilter,
): Promise<Overview> {
  const { disabled, queue_capacity } = await loadSettings(store);
  const destinations = await countedDestinations(store, namespaceId, filter);
  const ids = destinations.map(({ id }) => id);
  const [states, pending, workers] = await Promise.all([
    queue.gateStates(ids),
    queue.pendingCount(),
    queue.workers(),
  ]).catch(unlessAway);
  return {
    destinations,
    gates: new Map(ids.map((id, at) => [id, states[at]])),
    disabled,
    workers,
    queue: { pending, capacity: queue_capacity },
  };
}

/** The numbers of the store are shown also while Redis is unavailable. */
function unlessAway(cause: unknown): readonly [readonly undefined[], null, undefined] {
  if (cause instanceof AppError && cause.kind === 'unavailable') return [[], null, undefined];
  throw cause;
}

/**
 * The overview as this caller may see it. The queue is that of all namespaces, so only the root shows it. The root shows the workers of all
 * types, and another namespace those of its destinations.
 */
async function show({ definitions }: SyncParts, overview: Overview, selection: Selection, context: ReadContext) {
  const { namespace, vocabulary, warn } = context;
  const first = overview.destinations.slice(0, overviewMax);
  const selected = first
    .map((destination) => ({ destination, gate: overview.gates.get(destination.id) }))
    .filter((seen) => isSelected(selection, seen));
  const allowed = new Set(
    await readableOf(
      context,
      selected.map(({ destination }) => destination),
    ),
  );
  const seen = selected.filter(({ destination }) => allowed.has(destination));
  const isPart = !isWhole(overview);
  // Where nothing that was read is left out, the rest follows page by page.
  const follows = isPart && selection.limit !== undefined && selection.sort === 'name' && seen.length === first.length;
  const { shown, after } = pageOf(selection, seen, follows ? seen.at(-1) : undefined);
  if (isPart) warn(`only the first ${overviewMax} destinations are ${follows ? '' : 'shown and '}counted`);
  if (overview.queue.pending === null)
    warn('Redis is unavailable: the state of circuits, rates, workers and the queue is unknown');
  const workers = [...(overview.workers ?? [])].filter(
    ([type]) => namespace.path === '' || seen.some(({ destination }) => destination.type === type),
  );
  const data = {
    disabled: overview.disabled,
    ...(overview.workers === undefined ? {} : { workers: workersView(definitions, new Map(workers), vocabulary) }),
    ...(namespace.path === '' ? { queue: overview.queue } : {}),
    ...(selection.limit === undefined ? {} : { matching: seen.length, matching_at_least: isPart, after }),
    ...overviewView(definitions, { seen, shown }, vocabulary),
  };
  return versioned(data, isFleeting);
}

/** What is left of a rate, and when a worker was last seen, changes all the time, so it makes no new version. */
const isFleeting = (name: string): boolean => name === 'rate' || name === 'last_seen_at';
