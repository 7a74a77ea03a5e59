import { setTimeout as sleep } from 'node:timers/promises';
import { UnderWay } from '../../../core/concurrency/under-way.ts';
import type { Incoming } from '../exchange.ts';

/** A request that has begun and is not answered yet. */
export interface InFlightRequest {
  readonly id: string;
  readonly method: string;
  /** Without the query, and without the parts of it that are secret. Empty: no row of the path table was found for it yet, or ever. */
  readonly path: string;
  readonly remoteAddress: string;
  readonly startedAt: Date;
}

/** The requests that this process is answering. */
export interface InFlight {
  began(incoming: Incoming): BegunRequest;
  list(): readonly InFlightRequest[];
  /** Waits until there is none, so many milliseconds at most. One whose client has gone is in flight until its work is done. */
  idle(msMax: number): Promise<void>;
}

/** A request that is under way. */
export interface BegunRequest {
  /** Call it when the row of its path is known. */
  routed(shownPath: string): void;
  /** Call it when the request is answered. */
  ended(): void;
}

/** How often is looked whether there is one left. */
const lookEveryMs = 20;

export function openInFlight(now: () => Date): InFlight {
  const requests = new UnderWay<InFlightRequest & { path: string }>();
  return {
    began({ requestId: id, method, connection: { remoteAddress } }) {
      const place = requests.begin({ id, method, path: '', remoteAddress, startedAt: now() });
      return {
        routed(shownPath) {
          place.value.path = shownPath;
        },
        ended: () => requests.end(place),
      };
    },
    list: () => [...requests],
    async idle(msMax) {
      const end = performance.now() + msMax;
      while (!requests.isEmpty && performance.now() < end) await sleep(lookEveryMs);
    },
  };
}
