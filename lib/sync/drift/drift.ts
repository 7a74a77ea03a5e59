import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import { errorLocation } from '#core/log/stack.ts';
import { DestinationFailure, type Driver } from '#destinations/contract.ts';
import type { Gate } from '#queue/contract.ts';
import type { EnqueueDirty } from '#store/outbox.ts';
import type { Store } from '#store/store.ts';
import type { Accounts } from '../drivers/accounts.ts';
import type { Destination } from '../drivers/drivers.ts';
import { repair } from './findings.ts';
import { errorOf, lookOn } from './look.ts';
import { openCalls } from './rate.ts';
import { endTurn, leaveTurn, noteDestinations, type Turn, takeTurn } from './turns.ts';

export interface DriftParts {
  readonly definition: Destination['definition'];
  readonly store: Store;
  readonly log: Log;
  readonly gate: Gate;
  readonly accounts: Accounts;
  readonly openDriver: (destinationId: string, revision: number) => Promise<Driver | undefined>;
  /** Queues the associations that a repair marked. */
  readonly changed: EnqueueDirty;
  /** Counts a look that has ended. */
  readonly looked: (result: 'complete' | 'failed') => void;
  /** How often each destination is looked at, in milliseconds. */
  readonly everyMs: number;
}

/** One destination has the turn for this long; then others of the type come first. */
const turnMsMax = 10_000;
/** A look that failed is tried again after a part of the interval, and not at once. */
const failedShare = 1 / 8;
const failedMsMin = 60_000;
/** What was written more recently than this is not judged: providers show it late. A short interval shortens it. */
const settleMsMax = 10_000;
const settleShare = 1 / 4;
/** How often a process asks whether a destination is due. */
const askMsMax = 15_000;
const askShare = 1 / 10;

/**
 * Looks at the destinations of a type that are due, one after the other, until none is or `signal` aborts. Never writes to a destination:
 * what is to be repaired is queued as a sync.
 */
export async function lookForDrift(parts: DriftParts, signal: AbortSignal): Promise<number> {
  const { store, definition, everyMs } = parts;
  await noteDestinations(store, definition.type, everyMs);
  let turns = 0;
  while (!signal.aborted) {
    const turn = await takeTurn(store, definition.type);
    if (turn === undefined) break;
    turns += 1;
    await takeItsTurn(parts, turn, signal);
  }
  return turns;
}

async function takeItsTurn(parts: DriftParts, turn: Turn, signal: AbortSignal): Promise<void> {
  const { store, everyMs } = parts;
  const endsMs = performance.now() + turnMsMax;
  try {
    const end = await lookUntil(parts, turn, endsMs, signal);
    if (end === undefined) return;
    if (end.kind === 'over') {
      await endTurn(store, turn, end.unseen, everyMs);
      parts.looked('complete');
    } else await leaveTurn(store, turn, { afterMs: 0, error: null });
  } catch (cause) {
    if (signal.aborted) return leaveTurn(store, turn, { afterMs: 0, error: null });
    if (!(cause instanceof DestinationFailure || cause instanceof AppError))
      parts.log.error({ ...errorLocation(cause) }, 'a look for drift failed unexpectedly');
    parts.looked('failed');
    const afterMs = Math.min(everyMs, Math.max(failedMsMin, everyMs * failedShare));
    await leaveTurn(store, turn, { afterMs, error: errorOf(cause) });
  }
}

async function lookUntil(parts: DriftParts, turn: Turn, endsMs: number, signal: AbortSignal) {
  const { definition, store, gate, everyMs } = parts;
  const driver = await parts.openDriver(turn.destination_id, turn.revision);
  if (driver === undefined) return undefined;
  try {
    const account = await parts.accounts(turn.destination_id);
    return await lookOn({
      definition,
      store,
      driver,
      calls: openCalls(gate, definition, account, endsMs, signal),
      turn,
      settleMs: Math.min(settleMsMax, Math.round(everyMs * settleShare)),
      found: async (ids) => {
        if (turn.on_drift === 'repair') await parts.changed(await repair(store, ids));
      },
      signal,
    });
  } finally {
    await driver.close();
  }
}

export interface DriftLoop {
  close(): Promise<void>;
}

/** Looks for drift in the background of a worker. @param mayLook false while the worker is sealed */
export function startDrift(parts: DriftParts, mayLook: () => boolean): DriftLoop {
  const end = new AbortController();
  const askMs = Math.min(askMsMax, Math.ceil(parts.everyMs * askShare));
  const run = async () => {
    while (!end.signal.aborted) {
      // Processes that start together do not ask together.
      await sleep(askMs * (0.5 + Math.random()), undefined, { signal: end.signal, ref: false }).catch(() => {});
      if (end.signal.aborted || !mayLook()) continue;
      await lookForDrift(parts, end.signal).catch((cause: unknown) => {
        if (!end.signal.aborted && !(cause instanceof AppError))
          parts.log.warn({ ...errorLocation(cause) }, 'the looks for drift failed; they go on later');
      });
    }
  };
  const running = run();
  return {
    async close() {
      end.abort();
      await running;
    },
  };
}
