import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '#core/errors.ts';
import type { GateState, Queue } from '#queue/contract.ts';
import type { Store } from '#store/store.ts';
import type { EventKind } from '../events/event.ts';
import { tellBatches } from './batches.ts';
import { concernedAfter } from './concerned.ts';
import { groupMs } from './decide.ts';
import { type Concerned, tellDestinations } from './destinations.ts';
import { tellQueue } from './queue.ts';

export interface TellParts {
  readonly store: Store;
  readonly queue: Pick<Queue, 'gateStates' | 'pendingCount'>;
  /** Counts an event. */
  readonly told: (kind: EventKind) => void;
}

/** Where the next look continues; losing it costs only time. */
export interface TellState {
  after: string;
}

export const newTellState = (): TellState => ({ after: '0' });

/** Destinations of one page, and those of a namespace that are told in one transaction. */
const pageSize = 1_000;
const togetherMax = 100;
/** How long one look at the destinations takes; the next one goes on from there. */
const lookMsMax = 2_000;

/**
 * Looks once, and again until nothing is about to be told or `signal` aborts: noted failures are told after their group is complete. All
 * destinations are looked at in turn, so none waits longer for another namespace's than one round over all of them takes. Several
 * processes may do this at the same time.
 *
 * @returns the number of events told
 */
export async function tell(parts: TellParts, state: TellState, signal: AbortSignal): Promise<number> {
  let count = 0;
  let isNoted = false;
  do {
    const { told, noted } = await look(parts, state, signal);
    for (const kind of told) parts.told(kind);
    count += told.length;
    isNoted = noted && !signal.aborted;
    if (isNoted) await pause(groupMs, undefined, { signal }).catch(() => {});
  } while (isNoted && !signal.aborted);
  return count;
}

async function look(parts: TellParts, state: TellState, signal: AbortSignal) {
  const { store, queue } = parts;
  const over = AbortSignal.any([signal, AbortSignal.timeout(lookMsMax)]);
  const told: EventKind[] = [...(await tellBatches(store))];
  told.push(...(await tellQueue(store, queue).catch(unlessAway<readonly EventKind[]>([]))));
  let noted = false;
  let failure: unknown;
  do {
    const { concerned, last } = await concernedAfter(store, state.after, pageSize);
    state.after = last ?? '0';
    for (const part of partsOf(concerned)) {
      try {
        const result = await tellDestinations(store, { ...part, gates: await gatesOf(parts, part.ids) });
        told.push(...result.told);
        noted ||= result.noted;
      } catch (cause) {
        // The other namespaces are told all the same.
        failure ??= cause;
      }
    }
  } while (state.after !== '0' && !over.aborted);
  if (failure !== undefined) throw failure;
  return { told, noted };
}

async function gatesOf({ queue }: TellParts, ids: readonly string[]): Promise<Concerned['gates']> {
  const states = await queue.gateStates(ids).catch(unlessAway<readonly (GateState | undefined)[]>([]));
  return new Map(ids.map((id, at) => [id, states[at]]));
}

function partsOf(concerned: Awaited<ReturnType<typeof concernedAfter>>['concerned']) {
  return [...Map.groupBy(concerned, ({ namespaceId }) => namespaceId)].flatMap(([namespaceId, all]) =>
    Array.from({ length: Math.ceil(all.length / togetherMax) }, (_none, n) => ({
      namespaceId,
      ids: all.slice(n * togetherMax, (n + 1) * togetherMax).map(({ id }) => id),
    })),
  );
}

/** What the store alone shows is told also while Redis is unavailable. */
const unlessAway =
  <T>(otherwise: T) =>
  (cause: unknown): T => {
    if (cause instanceof AppError && cause.kind === 'unavailable') return otherwise;
    throw cause;
  };
