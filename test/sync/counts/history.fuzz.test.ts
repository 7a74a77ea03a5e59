import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { rootNamespace } from '#core/namespace.ts';
import type { OpenStore } from '#store/open.ts';
import { markDirty, markEnded } from '#store/outbox.ts';
import { countedDestinations } from '#sync/records/overview/counts.ts';
import { foldCounts } from '#sync/sweep/counts/fold.ts';
import { testStore } from '../../store/stores.ts';
import { wrongCounts } from '../../support/flow/counts.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';
import type { Fate } from '../world/remote.ts';
import { startWorld, type World } from '../world/world.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

const fates = fc.array(
  fc.constantFrom<Fate>('succeeds', 'succeeds', 'refused', 'unreachable', 'lost', 'crash', 'crash after'),
  { maxLength: 4 },
);

/** A step with the association of a world, or with others of its destination. */
type Step = (world: World) => Promise<unknown>;

const changes: fc.Arbitrary<Step> = fc
  .record({
    json: fc.constantFrom('{"a":"1"}', '{"a":"2","b":"3"}', '{"a":"far too large"}', null),
    forced: fc.boolean(),
  })
  .map(
    ({ json, forced }) =>
      (world) =>
        world.want({ json, granularity: 'secret-key', template: 'k/{{ .SecretKey }}' }, forced),
  );

const attempts: fc.Arbitrary<Step> = fates.map((some) => (world) => world.attempt(some));

const ofIt = (world: World) => sql`id = ${world.id}::bigint`;
const itsDestination = (world: World) => sql`(select destination_id from associations where ${ofIt(world)})`;

const others = fc.constantFrom<Step>(
  (world) => world.lookAtAll(),
  (world) => world.untilRecheck(),
  (world) => world.pass(60_000),
  (world) => world.lose(),
  (world) => markDirty(ofIt(world), 'verify').execute(store.db),
  (world) => markEnded(ofIt(world)).execute(store.db),
  (world) => sql`update associations set drift = 'changed', drift_at = now() where ${ofIt(world)}`.execute(store.db),
  (world) => sql`update associations set mount_path = 'moved/' where ${ofIt(world)}`.execute(store.db),
  (world) =>
    sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, status, error, records, updated_at)
    select destination_id, type, mount_id, 'secret/', 'kv_1', 'other-' || n, 'secret-path', '', false,
           case when n = 1 then 'absent' else 'present' end, case when n = 1 then 'UNSYNCED' else 'INTERNAL_ERROR' end,
           case when n = 2 then '{"kind":"internal"}'::jsonb end, '[]', now()
      from associations cross join generate_series(1, 3) n where ${ofIt(world)}
        on conflict (destination_id, mount_id, secret_name) do update set status = 'SYNCED', drift = 'deleted'`.execute(
      store.db,
    ),
  (world) =>
    sql`delete from associations where destination_id = ${itsDestination(world)} and secret_name like 'other-%'`.execute(
      store.db,
    ),
  (world) => sql`delete from associations where ${ofIt(world)}`.execute(store.db),
  () => foldCounts(store, 3),
  () => foldCounts(store),
  (world) =>
    store
      .transaction(async (tx) => {
        await markDirty(ofIt(world)).execute(tx);
        throw new Error('rolled back');
      })
      .catch(() => {}),
);

const steps = fc.array(
  fc.record({
    at: fc.nat(1),
    step: fc.oneof(
      { weight: 2, arbitrary: changes },
      { weight: 4, arbitrary: attempts },
      { weight: 4, arbitrary: others },
    ),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Since when the oldest change of each destination waits, by reading all associations. */
async function oldestChanges(): Promise<ReadonlyMap<string, Date | null>> {
  const { rows } = await sql<{ id: string; since: Date | null }>`
    select d.id::text as id, min(a.dirty_since) as since
      from destinations d left join associations a
        on a.destination_id = d.id and a.generation > a.observed_generation and a.status <> 'SYNCED'
           and not (a.desired = 'absent' and a.status = 'UNSYNCED')
     group by d.id`.execute(store.db);
  return new Map(rows.map(({ id, since }) => [id, since]));
}

test('whatever happens to associations, their counts are those of reading all of them', fuzzing, async () => {
  const property = fc.asyncProperty(steps, async (history) => {
    const worlds = [await startWorld(store), await startWorld(store)] as const;
    for (const { at, step } of history) {
      await step(worlds[at === 0 ? 0 : 1]);
      expect(await wrongCounts(store.db)).toEqual([]);
    }
    const oldest = await oldestChanges();
    for (const { id, pendingSince } of await countedDestinations(store, rootNamespace.id))
      expect(pendingSince).toEqual(oldest.get(id));
  });
  await fc.assert(property, runs(40));
});
