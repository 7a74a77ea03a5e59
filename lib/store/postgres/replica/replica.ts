import { Kysely } from 'kysely';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';
import type { Database } from '../../tables.ts';
import type { DatabaseAccess } from '../connect/servers.ts';
import { poolDialect } from '../driver.ts';
import { openPool, type PoolOptions } from '../pool.ts';
import { Reachability } from '../reachability.ts';
import { Freshness, type Moment, msBetween } from './freshness.ts';
import { placeOfPrimary, placeOfReplica } from './place.ts';

export interface ReplicaOptions {
  readonly access: DatabaseAccess;
  /** Answers of a replica are no older than this. */
  readonly lagMsMax: number;
}

export interface Replica {
  /** Answers on the replica, or on the primary if the replica may not be used now or fails. `read` may run twice. */
  read<T>(read: (db: Kysely<Database>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A read that takes longer on the replica is asked of the primary. */
const statementMsMax = 5_000;
const connectMsMax = 1_000;
/** Between two looks at both servers; a replica that fails is looked at less and less often. */
const lookMsMin = 100;
const lookMsMax = 1_000;
const pauseMsMax = 30_000;

/**
 * A streaming standby for reads that may be old by a bound. Looks in the background at how far it has come, so no read waits for a
 * replica that is away: what is not known to be fresh goes to the primary.
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
  async function look(): Promise<void> {
    const at = now();
    const there = await placeOfPrimary(primary);
    freshness.primaryAt(at, there.position);
    const here = await placeOfReplica(replica);
    if (here === undefined) return failed('it is no standby');
    if (here.system !== there.system) return failed('it belongs to another installation of PostgreSQL');
    if (here.timeline !== there.timeline) {
      freshness.forget();
      return failed('it has not followed the last promotion yet');
    }
    failures = 0;
    freshAt = freshness.replicaAt(here.position);
    if (isFresh()) use.started();
    else use.stopped(`it is more than ${lagMsMax} ms behind`);
  }
  const everyMs = Math.max(lookMsMin, Math.min(lookMsMax, lagMsMax / 4));
  const watch = repeat(
    () => look().catch((error: unknown) => failed(error instanceof Error ? error.message : 'it does not answer')),
    () => Math.min(pauseMsMax, everyMs * 2 ** Math.min(failures, 20)),
  );
  return {
    async read(read) {
      // A process without such reads asks neither server.
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

/** With several hosts a server that takes writes is looked for, unless the URL says otherwise. */
function toAnyServer(databaseUrl: string): string {
  if (/[?&]target_session_attrs=/.test(databaseUrl)) return databaseUrl;
  return `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}target_session_attrs=any`;
}

/** Says in the log once when the replica is used and when it no longer is. */
function openUse(log: Log) {
  let isUsed: boolean | undefined;
  return {
    started(): void {
      if (isUsed !== true) log.info({}, 'reads that may be old go to the replica');
      isUsed = true;
    },
    stopped(reason: string): void {
      if (isUsed !== false) log.warn({ outage: true, reason }, 'the replica is not used: reads go to the primary');
      isUsed = false;
    },
  };
}

/** Runs work again and again once it has been started, with a pause after each end. Its end waits for a run. */
function repeat(work: () => Promise<void>, pauseMs: () => number) {
  let isEnding = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  async function run(): Promise<void> {
    await work();
    if (isEnding) return;
    // It must not keep a process alive that is done.
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
