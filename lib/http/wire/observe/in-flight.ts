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
}

export function openInFlight(now: () => Date): InFlight {
  const requests = new UnderWay<InFlightRequest>();
  return {
    began({ requestId: id, method, url, connection: { remoteAddress } }) {
      const [path = ''] = url.split('?', 1);
      const place = requests.begin({ id, method, path, remoteAddress, startedAt: now() });
      return () => requests.end(place);
    },
    list: () => [...requests],
  };
}
