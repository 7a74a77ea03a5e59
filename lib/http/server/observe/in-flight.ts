import { setTimeout as sleep } from 'node:timers/promises';
import { LinkedSet } from '#core/concurrency/linked-set.ts';
import type { Incoming } from '../../wire/exchange.ts';

/** A request in flight: it has begun and is not answered yet. */
export interface InFlightRequest {
  readonly id: string;
  readonly method: string;
  /** Without the query and without secret parts. Empty until a row of the path table has been found. */
  readonly path: string;
  readonly remoteAddress: string;
  readonly startedAt: Date;
}

/** The requests in flight in this process. */
export interface InFlight {
  began(incoming: Incoming): BegunRequest;
  list(): readonly InFlightRequest[];
  /** Waits up to `msMax` until no request is in flight. A request whose client has disconnected counts until its work is done. */
  idle(msMax: number): Promise<void>;
}

/** Reports the progress of a request in flight. */
export interface BegunRequest {
  /** To be called when the row of the path is known. */
  routed(shownPath: string): void;
  /** To be called when the request is answered. */
  ended(): void;
}

/** How often `idle` checks for requests in flight. */
const checkEveryMs = 20;

export function openInFlight(now: () => Date): InFlight {
  const requests = new LinkedSet<InFlightRequest & { path: string }>();
  return {
    began({ requestId: id, method, connection: { remoteAddress } }) {
      const entry = requests.add({ id, method, path: '', remoteAddress, startedAt: now() });
      return {
        routed(shownPath) {
          entry.value.path = shownPath;
        },
        ended: () => requests.delete(entry),
      };
    },
    list: () => [...requests],
    async idle(msMax) {
      const end = performance.now() + msMax;
      while (!requests.isEmpty && performance.now() < end) await sleep(checkEveryMs);
    },
  };
}
