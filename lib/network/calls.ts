import { request } from 'undici';
import { byteCounter } from './answer-size.ts';
import { guardedDispatcher } from './connection/dispatcher.ts';
import type { FetchTimeouts } from './fetch.ts';
import type { NetworkPolicy } from './policy.ts';

/** Calls without what makes a fetch dear: no redirects, no decompression, headers and bodies as they are. */
export interface GuardedCalls {
  /** One call. Its answer comes whole. @throws what a guarded fetch has as the cause of its errors; `StrangeAnswer` beyond 1 MB */
  call(url: URL, call: Call): Promise<{ readonly status: number; readonly text: string }>;
  /** Ends idle connections and those in use. */
  close(): Promise<void>;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends at the latest when the time for the call is over. */
  readonly signal: AbortSignal;
}

/** Every new connection is checked against `policy`. */
export function guardedCalls(policy: NetworkPolicy, times: FetchTimeouts): GuardedCalls {
  const dispatcher = guardedDispatcher(policy, times);
  return {
    async call(url, call) {
      const { statusCode, body } = await request(url, { ...call, dispatcher });
      const count = byteCounter();
      const pieces: Buffer[] = [];
      for await (const piece of body as AsyncIterable<Buffer>) {
        count(piece.byteLength);
        pieces.push(piece);
      }
      return { status: statusCode, text: Buffer.concat(pieces).toString() };
    },
    close: () => dispatcher.destroy(),
  };
}
