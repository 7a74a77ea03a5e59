import { setTimeout as sleep } from 'node:timers/promises';
import { UnderWay } from '../../../core/concurrency/under-way.ts';
import type { Incoming } from '../exchange.ts';

/** A request that has begun and is not answered yet. */
export interface InFlightRequest {
  readonly id: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly remoteAddress: string;
  readonly startedAt: Date;
}

/** The requests that this process is answering. */
export interface InFlight {
  /** Call what it answers when the request is answered. */
  began(incoming: Incoming): () => void;
  list(): readonly InFlightRequest[];
  /** Waits until there is none, so many milliseconds at most. One whose client has gone is in flight until its work is done. */
  idle(msMax: number): Promise<void>;
}

/** How often is looked whether there is one left. */
const lookEveryMs = 20;

export function openInFlight(now: () => Date): InFlight {
  const requests = new UnderWay<InFlightRequest>();
  return {
    began({ requestId: id, method, url, connection: { remoteAddress } }) {
      const [path = ''] = url.split('?', 1);
      const place = requests.begin({ id, method, path, remoteAddress, startedAt: now() });
      return () => requests.end(place);
    },
    list: () => [...requests],
    async idle(msMax) {
      const end = performance.now() + msMax;
      while (!requests.isEmpty && performance.now() < end) await sleep(lookEveryMs);
    },
  };
}
