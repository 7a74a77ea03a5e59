import type { Dispatcher } from 'undici';
import { byteCounter } from './answer-size.ts';
import { guardedDispatcher } from './connection/dispatcher.ts';
import type { FetchTimeouts } from './fetch.ts';
import type { NetworkPolicy } from './policy.ts';

/** Calls without what makes a fetch dear: no redirects, no decompression, no streams, headers and bodies as they are. */
export interface GuardedCalls {
  /**
   * One call. Its answer comes whole.
   *
   * @throws what a guarded fetch has as the cause of its errors; `StrangeAnswer` beyond 1 MB; a `TimeoutError` when the time is
   * over, and the signal's reason when that ends it
   */
  call(url: URL, call: Call): Promise<Answered>;
  /** Ends idle connections and those in use. */
  close(): Promise<void>;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly msMax: number;
  readonly signal: AbortSignal | undefined;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Every new connection is checked against `policy`. */
export function guardedCalls(policy: NetworkPolicy, times: FetchTimeouts): GuardedCalls {
  const dispatcher = guardedDispatcher(policy, times);
  return {
    call: (url, call) => exchange(dispatcher, url, call),
    close: () => dispatcher.destroy(),
  };
}

/** One timer and one listener, which end with the call: signals of timeouts live on, and are what a collection takes its time for. */
async function exchange(dispatcher: Dispatcher, { origin, pathname, search }: URL, call: Call): Promise<Answered> {
  const { msMax, signal, ...request } = call;
  signal?.throwIfAborted();
  const answering = new Answering();
  const timer = setTimeout(() => answering.end(new DOMException('it took too long', 'TimeoutError')), msMax);
  const gone = () => answering.end(signal?.reason);
  signal?.addEventListener('abort', gone);
  try {
    dispatcher.dispatch({ origin, path: `${pathname}${search}`, ...request }, answering);
    return await answering.answered;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', gone);
  }
}

/** Takes an answer as it comes. */
class Answering implements Dispatcher.DispatchHandler {
  readonly #settled = Promise.withResolvers<Answered>();
  readonly #count = byteCounter();
  readonly #pieces: Buffer[] = [];
  #status = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;

  get answered(): Promise<Answered> {
    return this.#settled.promise;
  }

  /** Ends the call, also one that waits for its connection. */
  end(reason: Error): void {
    this.#failure = reason;
    this.#settled.reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    try {
      this.#count(piece.byteLength);
      this.#pieces.push(piece);
    } catch (error) {
      this.end(error as Error);
    }
  }

  onResponseEnd(): void {
    this.#settled.resolve({ status: this.#status, text: Buffer.concat(this.#pieces).toString() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settled.reject(error);
  }
}
