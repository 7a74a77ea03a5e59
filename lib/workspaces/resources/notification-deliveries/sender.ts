import type { Lane } from '#core/concurrency/take-turns.ts';
import type { Store } from '#store/store.ts';
import type { SendParts } from '../../contract.ts';
import { sendNext } from './outbox.ts';
import { claimReceivers, ways } from './turns.ts';

/** Concurrent receivers per way and process. */
const atOnceMax = 32;

/**
 * Sends messages to receivers that have any, until `signal` aborts. Several processes may do this concurrently. All organizations share one
 * mail server; when it hangs, webhooks continue.
 */
export const receiverLanes = (store: Store, parts: SendParts, signal: AbortSignal): readonly Lane[] =>
  ways.map((way) => ({
    atOnceMax,
    claim: async (room) =>
      (await claimReceivers(store, way, room)).map((receiver) => () => sendNext(store, parts, receiver, signal)),
  }));
