import { Kysely, sql } from 'kysely';
import type { Clock } from '#core/clock.ts';
import { KeyringBarrier } from './encryption/barrier.ts';
import { isMigrated, migrate } from './migrate.ts';
import { poolDialect } from './postgres/pool/driver.ts';
import { openPool, type PoolOptions } from './postgres/pool/pool.ts';
import { Pooling } from './postgres/pooler/pooling.ts';
import { Reachability } from './postgres/reachability.ts';
import { refreshRegularly } from './postgres/refreshing.ts';
import { openReplica, type ReplicaOptions } from './postgres/replica/replica.ts';
import { StoreClock } from './postgres/store-clock.ts';
import { mustBeSupported } from './postgres/version.ts';
import type { KeyAttempts } from './seal/attempts/contract.ts';
import { openKeyAttempts } from './seal/attempts/open.ts';
import type { Seal } from './seal/contract.ts';
import type { Lender, OuterKey, RootKeySource } from './seal/keys/root-key-source.ts';
import { openStaticKey, type StaticKeySource } from './seal/keys/static-key.ts';
import { BarrierSeal } from './seal/seal.ts';
import type { Store } from './store.ts';
import type { Database } from './tables.ts';
import { inTransaction } from './transaction.ts';

export interface StoreOptions extends PoolOptions {
  /** `shamir`: operators unseal with key shares. Otherwise each process unseals itself with this key, which is closed with the store. */
  readonly seal: 'shamir' | StaticKeySource | OuterKey;
  /** The key of the previous seal, if the store may still use it: enough key shares migrate the store to `seal`. */
  readonly formerSeal?: StaticKeySource | OuterKey;
  /** Other sources that open the root key without an operator; closed with the store. */
  readonly lenders?: readonly RootKeySource[];
  /** The process that lends the root key to this one; closed with the store. */
  readonly borrowsFrom?: Lender | undefined;
  readonly clock: Clock;
  /** For reads whose answers may be slightly out of date. */
  readonly replica?: ReplicaOptions | undefined;
  /** How often a process checks whether another has initialised the store, rotated its keyring or sealed the installation. */
  readonly refreshMs?: number;
}

/** The store with its seal, as the composition root holds it. */
export interface OpenStore extends Store {
  readonly seal: Seal;
  readonly keyAttempts: KeyAttempts;
  /** Whether the database answers. Sends a query only if none was answered in the last few seconds. Never throws. */
  reachable(): Promise<boolean>;
  /** Closes idle connections. For a process that may now be frozen for an unknown time. Bounded; never fails. */
  rest(): Promise<void>;
  /** The number of connections of this process, by state. */
  connections(): Connections;
}

export interface Connections {
  readonly max: number;
  readonly busy: number;
  readonly idle: number;
  /** Queries that wait for a connection. */
  readonly waiting: number;
}

/** Short enough that `sys/seal` takes effect in all processes within a second. */
const refreshMsDefault = 500;
/** A step over a large table may take longer than a statement of a request; other processes wait for it. */
const migrationMsMax = 600_000;

/**
 * Opens the store: brings the schema up to date, reads the seal, and unseals if that needs no operator. If a key service is
 * unavailable, waits for one answer at most and then keeps asking in the background.
 *
 * @throws AppError `unavailable` when the database cannot be reached; the caller decides whether to retry.
 */
export async function openStore(options: StoreOptions): Promise<OpenStore> {
  const { clock, log } = options;
  const outerKey = await outerKeyOf(options.seal);
  const formerKey = options.formerSeal && (await outerKeyOf(options.formerSeal));
  const reachability = new Reachability(clock);
  const pooling = new Pooling(options.pooler ?? 'auto', log);
  const pool = openPool(options, pooling);
  const db = new Kysely<Database>({ dialect: poolDialect(pool, reachability) });
  const barrier = new KeyringBarrier(clock);
  const seal = new BarrierSeal({
    db,
    barrier,
    outerKey,
    formerKey,
    lenders: options.lenders ?? [],
    borrowsFrom: options.borrowsFrom,
    log,
    clock,
  });
  const storeClock = new StoreClock(clock);
  try {
    await bringUpToDate(db, options, pooling);
    await storeClock.measure(db);
    await seal.refresh();
    await seal.unsealUnattended();
  } catch (error) {
    await seal.end();
    await db.destroy();
    throw error;
  }
  const transaction: Store['transaction'] = (work) => inTransaction(db, work);
  const refresh = async () => {
    const results = await Promise.allSettled([seal.refresh(), storeClock.measure(db)]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };
  const replica = options.replica && openReplica(db, options.replica, options);
  const everyMs = options.refreshMs ?? refreshMsDefault;
  const stopRefreshing = refreshRegularly(refresh, { everyMs, log });
  return {
    db,
    barrier,
    clock: storeClock,
    seal,
    keyAttempts: openKeyAttempts({ db, barrier, transaction, changed: () => seal.refresh() }),
    transaction,
    readOlder: (read) => (replica === undefined ? read(db) : replica.read(read)),
    reachable: () => reachability.check(() => sql`select 1`.execute(db)),
    rest: () => pool.rest().catch(() => {}),
    connections: () => ({
      max: pool.max,
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      stopRefreshing();
      await seal.end();
      await replica?.close();
      await db.destroy();
    },
  };
}

async function outerKeyOf(seal: StoreOptions['seal']): Promise<OuterKey | undefined> {
  if (seal === 'shamir') return undefined;
  return 'openRootKey' in seal ? seal : openStaticKey(seal);
}

async function bringUpToDate(db: Kysely<Database>, options: StoreOptions, pooling: Pooling): Promise<void> {
  await mustBeSupported(db);
  if (await isMigrated(db)) return;
  const pool = openPool({ ...options, poolSize: 1, statementTimeoutMs: migrationMsMax }, pooling);
  const forMigrations = new Kysely<Database>({ dialect: poolDialect(pool, new Reachability(options.clock)) });
  await migrate(forMigrations).finally(() => forMigrations.destroy());
}
