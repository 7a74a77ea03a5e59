import { Kysely } from 'kysely';
import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import type { Database } from '../../tables.ts';
import type { DatabaseAccess } from '../connect/servers.ts';
import { poolDialect } from '../pool/driver.ts';
import { openPool, type PoolOptions } from '../pool/pool.ts';
import { Reachability } from '../reachability.ts';
import { Freshness, type Moment, msBetween } from './freshness.ts';
import { placeOfPrimary, placeOfReplica } from './place.ts';

export interface ReplicaOptions {
  readonly access: DatabaseAccess;
  /** Maximum age of an answer of the replica. */
  readonly lagMsMax: number;
}

export interface Replica {
  /** Runs a read on the replica, or on the primary if the replica is stale or fails. `read` may run twice. */
  read<T>(read: (db: Kysely<Database>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A read that takes longer on the replica is repeated on the primary. */
const statementMsMax = 5_000;
const connectMsMax = 1_000;
/** Pause between two comparisons of both servers; the pause grows while the replica fails. */
const pollMsMin = 100;
const pollMsMax = 1_000;
const pauseMsMax = 30_000;

/**
 * A streaming standby for reads whose answers may be slightly out of date. Its position is checked in the background, so no read
 * waits for an unreachable replica: while the replica is not known to be fresh, reads go to the primary.
 */
export function openReplica(
  primary: Kysely<Database>,
  { access, lagMsMax }: ReplicaOptions,
  options: PoolOptions & { readonly clock: Clock },
): Replica {
  const { clock, log } = options;
  const limits = {
    statementTimeoutMs: Math.min(options.statementTimeoutMs, statementMsMax),
    connectTimeoutMs: Math.min(options.connectTimeoutMs, connectMsMax),
  };
  const pool = openPool({
    ...options,
    ...limits,
    password: access.password,
    databaseUrl: toAnyServer(access.databaseUrl),
  });
  const replica = new Kysely<Database>({ dialect: poolDialect(pool, new Reachability(clock)) });
  const freshness = new Freshness();
  const now = (): Moment => ({ running: performance.now(), wall: clock.now().getTime() });
  const use = openUse(log);
  /** The moment up to which the replica has everything. */
  let freshAt: Moment | undefined;
  let failures = 0;

  const isFresh = () => freshAt !== undefined && msBetween(freshAt, now()) <= lagMsMax;
  function failed(reason: string): void {
    freshAt = undefined;
    failures += 1;
    use.stopped(reason);
  }
  async function compare(): Promise<void> {
    const at = now();
    const ofPrimary = await placeOfPrimary(primary);
    freshness.primaryAt(at, ofPrimary.position);
    const ofReplica = await placeOfReplica(replica);
    if (ofReplica === undefined) return failed('it is not a standby');
    if (ofReplica.system !== ofPrimary.system) return failed('it belongs to another installation of PostgreSQL');
    if (ofReplica.timeline !== ofPrimary.timeline) {
      freshness.forget();
      return failed('it has not followed the last promotion yet');
    }
    failures = 0;
    freshAt = freshness.replicaAt(ofReplica.position);
    if (isFresh()) use.started();
    else use.stopped(`it is more than ${lagMsMax} ms behind`);
  }
  const everyMs = Math.max(pollMsMin, Math.min(pollMsMax, lagMsMax / 4));
  const watch = repeat(
    () => compare().catch((error: unknown) => failed(error instanceof Error ? error.message : 'it does not answer')),
    () => Math.min(pauseMsMax, everyMs * 2 ** Math.min(failures, 20)),
  );
  return {
    async read(read) {
      // A process without such reads polls neither server.
      watch.start();
      if (!isFresh()) return read(primary);
      try {
        return await read(replica);
      } catch (error) {
        failed(error instanceof Error ? error.message : 'a read failed');
        return read(primary);
      }
    },
    async close() {
      await watch.end();
      await replica.destroy();
    },
  };
}

/** Any server will do, unless the URL says otherwise: the default for several hosts is a server that accepts writes. */
function toAnyServer(databaseUrl: string): string {
  if (/[?&]target_session_attrs=/.test(databaseUrl)) return databaseUrl;
  return `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}target_session_attrs=any`;
}

/** Logs once when the replica comes into use and once when it no longer is. */
function openUse(log: Log) {
  let isUsed: boolean | undefined;
  return {
    started(): void {
      if (isUsed !== true) log.info({}, 'reads that may be out of date go to the replica');
      isUsed = true;
    },
    stopped(reason: string): void {
      if (isUsed !== false) log.warn({ outage: true, reason }, 'the replica is not used: reads go to the primary');
      isUsed = false;
    },
  };
}

/** Once started, repeats `work` with a pause after each run. `end` waits for a run in progress. */
function repeat(work: () => Promise<void>, pauseMs: () => number) {
  let isEnding = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  async function run(): Promise<void> {
    await work();
    if (isEnding) return;
    // The timer must not keep a finished process alive.
    timer = setTimeout(() => {
      running = run();
    }, pauseMs()).unref();
  }
  return {
    start(): void {
      if (!isEnding) running ??= run();
    },
    async end(): Promise<void> {
      isEnding = true;
      clearTimeout(timer);
      await running;
    },
  };
}
