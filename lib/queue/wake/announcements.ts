import type { Redis } from 'ioredis';
import type { Log } from '../../core/log.ts';
import type { Keys } from '../keys.ts';

/** Requests that wait for an operation, per process. */
const listenersMax = 10_000;

export interface Listener {
  /** Ends with true at the announcement, also one that came before the call; with false at the time-out or on abort. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  stop(): void;
  /** Settles when announcements from now on are heard; it does not fail. */
  readonly ready: Promise<void>;
}

/**
 * Who waits for an association hears its announcement, wherever it is made: one channel per association, one subscriber
 * connection per process, made when it is first needed. Redis forgets announcements that nobody hears, so a waiter may
 * miss one while the connection is away; it then ends at its time-out.
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
    if (this.#count >= listenersMax) return deaf;
    this.#count += 1;
    const channel = this.#keys.channel(id);
    const heard = new AbortController();
    const tell = () => heard.abort();
    const ready = this.#add(channel, tell);
    let stopped = false;
    return {
      ready,
      wait: (timeoutMs, signal) => untilAborted(heard.signal, timeoutMs, signal),
      stop: () => {
        if (stopped) return;
        stopped = true;
        this.#remove(channel, tell);
      },
    };
  }

  close(): void {
    this.#subscriber?.disconnect();
    this.#listeners.clear();
  }

  async #add(channel: string, tell: () => void): Promise<void> {
    const known = this.#listeners.get(channel);
    if (known !== undefined) known.add(tell);
    else this.#listeners.set(channel, new Set([tell]));
    // Asked again for a channel that is known: the answer shows that the first asking has been carried out.
    await this.#send((subscriber) => subscriber.subscribe(channel));
  }

  #remove(channel: string, tell: () => void): void {
    this.#count -= 1;
    const known = this.#listeners.get(channel);
    if (known === undefined || !known.delete(tell) || known.size > 0) return;
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
    subscriber.on('message', (channel: string) => {
      for (const tell of this.#listeners.get(channel) ?? []) tell();
    });
    return subscriber;
  }
}

const deaf: Listener = { ready: Promise.resolve(), wait: async () => false, stop() {} };

async function untilAborted(heard: AbortSignal, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  if (heard.aborted || signal.aborted) return heard.aborted;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      heard.removeEventListener('abort', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, timeoutMs);
    heard.addEventListener('abort', end);
    signal.addEventListener('abort', end);
  });
  return heard.aborted;
}
