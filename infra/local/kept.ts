import { setTimeout as wait } from 'node:timers/promises';
import type { LocalServer } from './server.ts';

/** A server that is restarted on its port when it ends unexpectedly. */
export interface KeptServer {
  readonly url: string;
  /** Resolves when it is given up: it ended repeatedly, or could not be restarted. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

export interface KeepOptions {
  readonly name: string;
  /** Each start uses the port of the first one, which clients know. */
  readonly start: (port: number | undefined) => Promise<LocalServer>;
  /** Called with each event of the server. */
  readonly report: (text: string) => void;
  readonly limits?: KeepLimits;
}

export interface KeepLimits {
  /** Maximum number of restarts within `withinMs`; at the next end the server is given up. */
  readonly startsMax: number;
  readonly withinMs: number;
  /** Delay before the first restart; doubled with each further one within `withinMs`. */
  readonly waitMs: number;
}

const usual: KeepLimits = { startsMax: 5, withinMs: 600_000, waitMs: 250 };

/** @throws the error of the first start */
export async function keepRunning({ name, start, report, limits = usual }: KeepOptions): Promise<KeptServer> {
  const failed = Promise.withResolvers<Error>();
  const stopping = new AbortController();
  const startedAt: number[] = [];

  const again = async (reason: string): Promise<LocalServer | undefined> => {
    if (stopping.signal.aborted) return undefined;
    const waitMs = waitBefore(startedAt, performance.now(), limits);
    if (waitMs === undefined) {
      failed.resolve(new Error(`${name} does not stay up, started ${limits.startsMax} times anew: ${reason}`));
      return undefined;
    }
    report(`${name} is started again: ${reason}`);
    await wait(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
    if (stopping.signal.aborted) return undefined;
    startedAt.push(performance.now());
    try {
      return watched(await start(first.port));
    } catch (error) {
      return again(`it could not be started: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const watched = (server: LocalServer): LocalServer => {
    void server.ended.then((how) => {
      if (!stopping.signal.aborted) current = again(`it ended by itself (${how})`);
    });
    return server;
  };

  const first = await start(undefined);
  let current: Promise<LocalServer | undefined> = Promise.resolve(watched(first));
  return {
    url: first.url,
    failed: failed.promise,
    async stop() {
      stopping.abort();
      await (await current)?.stop();
    },
  };
}

/** Milliseconds until the next restart, after starts at these times; undefined if it is given up. */
export function waitBefore(startedAt: readonly number[], now: number, limits: KeepLimits): number | undefined {
  const lately = startedAt.filter((time) => now - time < limits.withinMs).length;
  return lately >= limits.startsMax ? undefined : limits.waitMs * 2 ** lately;
}
