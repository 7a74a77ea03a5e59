import type { NetworkBounds } from '#network/bounds.ts';
import { openWebhooks } from '#network/webhooks.ts';
import type { Queue } from '#queue/contract.ts';
import type { Store } from '#store/store.ts';
import type { EventKind } from './events/event.ts';
import { pruneEvents } from './events/page.ts';
import { pruneDeliveries } from './receivers/delivery.ts';
import { sendDue } from './send/sender.ts';
import { newTellState, tell } from './tell/teller.ts';

/** The periodic work of the events and notifications of the sync. */
export interface NoticeSweep {
  /** One round, with at most this many items of each kind. */
  run(countMax: number): Promise<void>;
  /** Tells what is new of the sync, in parallel with the rounds. Returns the number of events. */
  tell(signal: AbortSignal): Promise<number>;
  /** Sends messages to receivers, in parallel with the rounds, until none is due or `signal` aborts. Returns the number of turns. */
  send(signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** Counts events and attempts to send them. */
export interface NoticesSeen {
  told(kind: EventKind): void;
  sent(result: 'delivered' | 'failed' | 'dead'): void;
}

export function openNoticeSweep({
  store,
  queue,
  networkBounds,
  seen,
}: {
  readonly store: Store;
  readonly queue: Pick<Queue, 'gateStates' | 'pendingCount'>;
  readonly networkBounds: NetworkBounds;
  readonly seen: NoticesSeen;
}): NoticeSweep {
  const webhooks = openWebhooks(networkBounds);
  const state = newTellState();
  const sending = { store, webhooks, random: Math.random, sent: seen.sent };
  return {
    async run(countMax) {
      await pruneEvents(store, countMax);
      await pruneDeliveries(store, countMax);
    },
    tell: (signal) => tell({ store, queue, told: seen.told }, state, signal),
    send: (signal) => sendDue(sending, signal),
    close: () => webhooks.close(),
  };
}
