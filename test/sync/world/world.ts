import { sql } from 'kysely';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { definition as cloudASm } from '#destinations/cloud-a-sm/index.ts';
import type { DestinationDefinition, Granularity } from '#destinations/contract.ts';
import type { Store } from '#store/store.ts';
import { claims, invalidates } from '#sync/claim/claims.ts';
import { finishes } from '#sync/claim/finish.ts';
import { intends } from '#sync/claim/intents.ts';
import { markDueRechecks } from '#sync/claim/rechecks.ts';
import { type Reconciled, type ReconcileParts, reconcile } from '#sync/reconcile/reconcile.ts';
import { failExhausted } from '#sync/reconcile/worker.ts';
import { compileTemplate } from '#sync/template/template.ts';
import { type Fate, startRemote } from './remote.ts';

/** The desired state of an association. */
export interface Wanted {
  /** Null: the secret has no version to read. */
  readonly json: string | null;
  readonly granularity: Granularity;
  readonly template: string;
}

/** The naming rules of `cloud-a-sm`, but values of at most 12 bytes, so that some are too large. */
const { tags: _tags, ...untagged } = cloudASm;
const definition: DestinationDefinition = { ...untagged, valueBytesMax: 12 };

/** One association in the real tables, with an external system in memory. Its claims expire at once, as after a crash. */
export async function startWorld(store: Store, attemptsMax = 1_000) {
  const id = await newAssociation(store);
  const remote = startRemote();
  let wanted: Wanted = { json: null, granularity: 'secret-path', template: '' };
  const finish = finishes(store, silentLog);
  const parts: ReconcileParts = {
    definition,
    store: new Proxy(store, {
      get(target, member, receiver) {
        if (remote.crashed && member === 'db') throw new Error('the worker has died');
        return Reflect.get(target, member, receiver);
      },
    }),
    clock: systemClock,
    log: silentLog,
    random: () => 0,
    retry: { attemptsMax, delayMsFirst: 1, delayMsMax: 1 },
    recheck: { firstMs: 10_000, secondMs: 60_000 },
    operationMs: 20_000,
    callsMs: 30_000,
    claim: claims(store, { leaseMs: 0, spacingMs: 0 }),
    finish: (outcome) => (remote.crashed ? Promise.reject(new Error('the worker has died')) : finish(outcome)),
    invalidate: invalidates(store),
    intend: intends(store),
    compile: compileTemplate,
    openDriver: async () => remote.driver,
    currentSecret: async () => (wanted.json === null ? undefined : { json: wanted.json }),
  };
  return {
    id,
    remote,
    /** A change of the secret, or `associations/set` when `forced`. */
    async want(next: Wanted, forced: boolean): Promise<void> {
      wanted = next;
      await sql`
        update associations
           set generation = generation + 1, granularity = ${next.granularity}, template = ${next.template}, attempts = 0,
               forced_generation = case when ${forced} then generation + 1 else forced_generation end,
               status = 'PENDING', dirty_since = coalesce(dirty_since, now())
         where id = ${id}::bigint`.execute(store.db);
    },
    /** Acts like a change of the destination: objects that look unchanged are inspected. */
    async lookAtAll(): Promise<void> {
      await sql`
        update associations set generation = generation + 1, verify_generation = generation + 1, attempts = 0, status = 'PENDING'
         where id = ${id}::bigint`.execute(store.db);
    },
    /** Runs one attempt whose calls have these fates. */
    async attempt(
      fates: readonly Fate[] = [],
      signal: AbortSignal = new AbortController().signal,
    ): Promise<Reconciled | 'crashed'> {
      remote.next(fates);
      try {
        return await reconcile(parts, id, signal, 2);
      } catch (error) {
        if (!remote.crashed) throw error;
        return 'crashed';
      } finally {
        remote.next([]);
      }
    },
    /** Makes the next recheck due; false when none is planned. */
    async untilRecheck(): Promise<boolean> {
      const { rows } = await sql`
        update associations set recheck_at = now() where id = ${id}::bigint and recheck_at is not null returning id`.execute(
        store.db,
      );
      await markDueRechecks(store, 100_000);
      return rows.length > 0;
    },
    /** Acts as if this time had passed without a sweep. */
    async pass(milliseconds: number): Promise<void> {
      const span = sql`${milliseconds} * interval '1 millisecond'`;
      await sql`
        with objects as (
          update sync_objects set removed_at = removed_at - ${span} where association_id = ${id}::bigint
        )
        update associations set unconfirmed_at = unconfirmed_at - ${span}, recheck_at = recheck_at - ${span}
         where id = ${id}::bigint`.execute(store.db);
    },
    /** Runs an exhausted job of the association. */
    lose: () => failExhausted(parts, id),
    /** Whether unconfirmed calls are remembered. */
    async remembers(): Promise<boolean> {
      const { rows } = await sql<{ remembers: boolean }>`
        select unconfirmed_at is not null as remembers from associations where id = ${id}::bigint`.execute(store.db);
      return rows[0]?.remembers === true;
    },
    /** The status of the association and the names recorded as ours. */
    async recorded(): Promise<{ readonly status: string; readonly names: readonly string[] }> {
      const { rows } = await sql<{ status: string; names: readonly string[] }>`
        select a.status,
               (select coalesce(json_agg(o.external_name), '[]') from sync_objects o
                 where o.association_id = a.id and o.removed_at is null) as names
          from associations a where a.id = ${id}::bigint`.execute(store.db);
      return rows[0] ?? { status: 'none', names: [] };
    },
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

const attemptsToSettle = 12;

/** Runs attempts without faults until nothing is left to do. */
export async function settle(world: World): Promise<void> {
  for (let attempt = 0; attempt < attemptsToSettle; attempt += 1) {
    const ended = await world.attempt();
    if (ended !== 'crashed' && ended.outcome.kind === 'done') return;
  }
  throw new Error(`work is left after ${attemptsToSettle} attempts`);
}

async function newAssociation(store: Store): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with d as (
      insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at)
      values ('cloud-a-sm', gen_random_uuid()::text, '', 'secret-path', '{}', '{}', false, now()) returning id
    )
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, status, records, updated_at)
    select d.id, 'cloud-a-sm', gen_random_uuid(), 'secret/', 'kv_1', 'app', 'secret-path', '', false, 'present', 'PENDING',
           '[]', now()
      from d
    returning id::text as id`.execute(store.db);
  return rows[0]?.id ?? '';
}

const rechecksMax = 12;

/** Runs rechecks without faults until none is left. */
export async function recheck(world: World): Promise<void> {
  for (let round = 0; round < rechecksMax; round += 1) {
    if (!(await world.untilRecheck())) return;
    await settle(world);
  }
  throw new Error(`rechecks are left after ${rechecksMax}`);
}
