import type { Dispatcher } from 'undici';
import { byteCounter } from './answer-size.ts';
import { guardedDispatcher } from './connection/dispatcher.ts';
import type { FetchTimeouts } from './fetch.ts';
import type { NetworkPolicy } from './policy.ts';

/** Calls without the costly features of fetch: no redirects, no decompression, no streams. */
export interface GuardedCalls {
  /**
   * Makes one call and returns the complete reply.
   *
   * @throws the causes of a guarded fetch's errors; `StrangeAnswer` beyond 1 MB; a `TimeoutError` at the deadline; the signal's
   * reason when it aborts
   */
  call(url: URL, call: Call): Promise<Answered>;
  /** Closes idle and active connections. */
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

/** Opens calls whose every new connection is checked against `policy`. */
export function guardedCalls(policy: NetworkPolicy, times: FetchTimeouts): GuardedCalls {
  const dispatcher = guardedDispatcher(policy, times);
  return {
    call: (url, call) => exchange(dispatcher, url, call),
    close: () => dispatcher.destroy(),
  };
}

/** One timer and one listener that end with the call. AbortSignal.timeout would outlive it and burden the garbage collector. */
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

/** Collects a reply as it arrives. */
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

  /** Aborts the call, even while it waits for its connection. */
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
