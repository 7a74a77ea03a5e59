import { sql } from 'kysely';
import { systemClock } from '../../lib/core/clock.ts';
import { silentLog } from '../../lib/core/log.ts';
import { definition as cloudASm } from '../../lib/destinations/cloud-a-sm/index.ts';
import type { DestinationDefinition, Granularity } from '../../lib/destinations/contract.ts';
import type { Store } from '../../lib/store/store.ts';
import { claims } from '../../lib/sync/claim/claims.ts';
import { finishes } from '../../lib/sync/claim/finish.ts';
import { intends } from '../../lib/sync/claim/intents.ts';
import { invalidates } from '../../lib/sync/claim/invalidate.ts';
import { markDueRechecks } from '../../lib/sync/recheck/due.ts';
import { failSpent } from '../../lib/sync/reconcile/exhausted.ts';
import { type Reconciled, type ReconcileParts, reconcile } from '../../lib/sync/reconcile/reconcile.ts';
import { compileTemplate } from '../../lib/sync/template/template.ts';
import { type Fate, startRemote } from './remote.ts';

/** What an association wants. */
export interface Wanted {
  /** Null: the secret has no version to read. */
  readonly json: string | null;
  readonly granularity: Granularity;
  readonly template: string;
}

/** Names as `cloud-a-sm` has them; values of 12 bytes at most, so that some are too large. */
const { tags: _tags, ...untagged } = cloudASm;
const definition: DestinationDefinition = { ...untagged, valueBytesMax: 12 };

/** One association on the real tables, with an external system in memory. Its claims are over at once, as after a crash. */
export async function startWorld(store: Store, attemptsMax = 1_000) {
  const id = await newAssociation(store);
  const remote = startRemote();
  let wanted: Wanted = { json: null, granularity: 'secret-path', template: '' };
  const finish = finishes(store);
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
    /** As after a change of the destination: what looks unchanged is looked at. */
    async lookAtAll(): Promise<void> {
      await sql`
        update associations set generation = generation + 1, verify_generation = generation + 1, attempts = 0, status = 'PENDING'
         where id = ${id}::bigint`.execute(store.db);
    },
    /** One attempt, whose calls have these fates. */
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
    /** As after the time of the next recheck; false: none is to come. */
    async untilRecheck(): Promise<boolean> {
      const { rows } = await sql`
        update associations set recheck_at = now() where id = ${id}::bigint and recheck_at is not null returning id`.execute(
        store.db,
      );
      await markDueRechecks(store, 100_000);
      return rows.length > 0;
    },
    /** As if so many milliseconds had gone by, in which no sweep came. */
    async pass(milliseconds: number): Promise<void> {
      const span = sql`${milliseconds} * interval '1 millisecond'`;
      await sql`
        with objects as (
          update sync_objects set removed_at = removed_at - ${span} where association_id = ${id}::bigint
        )
        update associations set unconfirmed_at = unconfirmed_at - ${span}, recheck_at = recheck_at - ${span}
         where id = ${id}::bigint`.execute(store.db);
    },
    /** What comes of a job of its that is exhausted. */
    lose: () => failSpent(parts, id),
    /** Whether calls are remembered whose end nobody saw. */
    async remembers(): Promise<boolean> {
      const { rows } = await sql<{ remembers: boolean }>`
        select unconfirmed_at is not null as remembers from associations where id = ${id}::bigint`.execute(store.db);
      return rows[0]?.remembers === true;
    },
    /** Its status and the names that we remember as ours. */
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

/** Attempts without any trouble until nothing is left to do. */
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

/** Time goes by, without any trouble, until nothing is rechecked any more. */
export async function recheck(world: World): Promise<void> {
  for (let round = 0; round < rechecksMax; round += 1) {
    if (!(await world.untilRecheck())) return;
    await settle(world);
  }
  throw new Error(`rechecks are left after ${rechecksMax}`);
}
