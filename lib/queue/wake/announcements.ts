import type { Redis } from 'ioredis';
import type { Log } from '#core/log/log.ts';
import type { Keys } from '../parts.ts';

/** Limit of requests that wait for operations, per process. */
const listenersMax = 10_000;

export interface Listener {
  /** Resolves with true at the announcement, even if it came before this call; with false at the timeout or on abort. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  stop(): void;
  /** Resolves when the subscription is active. Never fails. */
  readonly ready: Promise<void>;
}

/**
 * Delivers the announcements of associations to waiting callers in any process: one channel per association, and one subscriber connection
 * per process, opened on first use. Redis does not keep announcements, so a caller may miss one while the connection is down; its wait then
 * ends at the timeout.
 */
export class Announcements {
  readonly #connect: () => Redis;
  readonly #keys: Keys;
  readonly #log: Log;
  readonly #listeners = new Map<string, Set<() => void>>();
  #count = 0;
  #subscriber: Redis | undefined;

  constructor(connect: () => Redis, keys: Keys, log: Log) {
    this.#connect = connect;
    this.#keys = keys;
    this.#log = log;
  }

  listen(id: string): Listener {
    if (this.#count >= listenersMax) return noListener;
    this.#count += 1;
    const channel = this.#keys.channel(id);
    const announced = new AbortController();
    const notify = () => announced.abort();
    const ready = this.#add(channel, notify);
    let stopped = false;
    return {
      ready,
      wait: (timeoutMs, signal) => untilAborted(announced.signal, timeoutMs, signal),
      stop: () => {
        if (stopped) return;
        stopped = true;
        this.#remove(channel, notify);
      },
    };
  }

  close(): void {
    this.#subscriber?.disconnect();
    this.#listeners.clear();
  }

  async #add(channel: string, notify: () => void): Promise<void> {
    const known = this.#listeners.get(channel);
    if (known !== undefined) known.add(notify);
    else this.#listeners.set(channel, new Set([notify]));
    // Sent even if the channel is known: the reply shows that the first subscription has taken effect.
    await this.#send((subscriber) => subscriber.subscribe(channel));
  }

  #remove(channel: string, notify: () => void): void {
    this.#count -= 1;
    const known = this.#listeners.get(channel);
    if (known === undefined || !known.delete(notify) || known.size > 0) return;
    this.#listeners.delete(channel);
    void this.#send((subscriber) => subscriber.unsubscribe(channel));
  }

  async #send(command: (subscriber: Redis) => Promise<unknown>): Promise<void> {
    this.#subscriber ??= this.#open();
    try {
      await command(this.#subscriber);
    } catch (cause) {
      this.#log.debug({ error: cause instanceof Error ? cause.message : 'unknown' }, 'could not subscribe');
    }
  }

  #open(): Redis {
    const subscriber = this.#connect();
    // A new connection has no subscriptions.
    subscriber.on('ready', () => {
      const channels = [...this.#listeners.keys()];
      if (channels.length > 0) void this.#send(() => subscriber.subscribe(...channels));
    });
    subscriber.on('message', (channel: string) => {
      for (const notify of this.#listeners.get(channel) ?? []) notify();
    });
    return subscriber;
  }
}

const noListener: Listener = { ready: Promise.resolve(), wait: async () => false, stop() {} };

async function untilAborted(announced: AbortSignal, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  if (announced.aborted || signal.aborted) return announced.aborted;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      announced.removeEventListener('abort', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, timeoutMs);
    announced.addEventListener('abort', end);
    signal.addEventListener('abort', end);
  });
  return announced.aborted;
}
