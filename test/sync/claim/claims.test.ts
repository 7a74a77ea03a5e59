import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenStore } from '../../../lib/store/open.ts';
import { markDirty } from '../../../lib/store/outbox.ts';
import type { Claim } from '../../../lib/sync/claim/claim.ts';
import { claims } from '../../../lib/sync/claim/claims.ts';
import { finishes } from '../../../lib/sync/claim/finish.ts';
import type { Finish } from '../../../lib/sync/reconcile/outcome.ts';
import { untilSomebodyWaits } from '../../engines/kv/v2/setup.ts';
import { testStore } from '../../store/stores.ts';

let store: OpenStore;
let destination = '';
beforeAll(async () => {
  store = await testStore();
  const { rows } = await sql<{ id: string }>`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at)
    values ('cloud-a-sm', 'x', '', 'secret-path', '{}', '{}', false, now()) returning id::text as id`.execute(store.db);
  destination = rows[0]?.id ?? '';
  return () => store.close();
});

async function newAssociation(): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, status, records, updated_at)
    values (${destination}::bigint, 'cloud-a-sm', gen_random_uuid(), 'secret/', 'kv_1', 'app', 'secret-path', 't', false,
            'present', 'PENDING', '[]', now())
    returning id::text as id`.execute(store.db);
  return rows[0]?.id ?? '';
}

const kinds = (all: readonly Claim[]) => all.map(({ kind }) => kind).toSorted();
const outcome = (id: string, token: string, changes: Partial<Finish> = {}): Finish => ({
  id,
  token,
  generation: 1,
  done: true,
  status: 'SYNCED',
  error: null,
  records: [],
  attempts: 0,
  retryMs: null,
  written: [],
  kept: [],
  removed: [],
  buried: [],
  remembered: null,
  rechecked: null,
  ...changes,
});

describe('a claim', () => {
  test('is for one worker, also when two ask in the same batch', async () => {
    const claim = claims(store, { leaseMs: 60_000, spacingMs: 0 });
    const id = await newAssociation();
    expect(kinds(await Promise.all([claim(id), claim(id), claim(id)]))).toEqual(['busy', 'busy', 'claimed']);
    expect((await claim(id)).kind).toBe('busy');
  });

  test('is for one of two processes', async () => {
    const [one, other] = [
      claims(store, { leaseMs: 60_000, spacingMs: 0 }),
      claims(store, { leaseMs: 60_000, spacingMs: 0 }),
    ];
    const id = await newAssociation();
    const claimed = await Promise.all([one(id), other(id)]);
    expect(kinds(claimed).filter((kind) => kind === 'claimed')).toHaveLength(1);
  });

  test('runs out, and what its worker then writes back is not taken once another has it', async () => {
    const [brief, finish] = [claims(store, { leaseMs: 1, spacingMs: 0 }), finishes(store)];
    const id = await newAssociation();
    const first = await brief(id);
    await sql`select pg_sleep(0.01)`.execute(store.db);
    const second = await claims(store, { leaseMs: 60_000, spacingMs: 0 })(id);
    if (first.kind !== 'claimed' || second.kind !== 'claimed') throw new Error('not claimed');
    expect(await finish(outcome(id, first.token))).toBe('lost');
    expect(await finish(outcome(id, second.token))).toBe('settled');
    expect(await brief(id)).toMatchObject({ kind: 'clean', generation: 1 });
  });

  test('is refused while the sync is disabled', async () => {
    const id = await newAssociation();
    await sql`update sync_config set disabled = true`.execute(store.db);
    expect((await claims(store, { leaseMs: 60_000, spacingMs: 0 })(id)).kind).toBe('disabled');
    await sql`update sync_config set disabled = false`.execute(store.db);
  });

  test('of what is no more is clean for good', async () => {
    expect(await claims(store, { leaseMs: 60_000, spacingMs: 0 })('987654321')).toMatchObject({ kind: 'clean' });
  });

  test('that had to wait is not for a change that came meanwhile, whose settings it does not see', async () => {
    const id = await newAssociation();
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = store.transaction(async (tx) => {
      await sql`select 1 from sync_config for update`.execute(tx);
      begun.resolve();
      await over.promise;
    });
    await begun.promise;
    const claimed = claims(store, { leaseMs: 60_000, spacingMs: 0 })(id);
    await untilSomebodyWaits(store);
    await store.transaction(async (tx) => {
      await sql`update destinations set custom_tags = '{"team":"b"}', revision = revision + 1
                 where id = ${destination}::bigint`.execute(tx);
      await markDirty(sql`id = ${id}::bigint`).execute(tx);
    });
    over.resolve();
    await held;
    expect(await claimed).toEqual({ kind: 'busy' });
    const next = await claims(store, { leaseMs: 60_000, spacingMs: 0 })(id);
    expect(next).toMatchObject({ generation: 2, destinationRevision: 2, tags: { team: 'b' } });
  });

  test('says how far the clock of the database is ahead: here it is the same', async () => {
    const claimed = await claims(store, { leaseMs: 60_000, spacingMs: 0 })(await newAssociation());
    expect(claimed.kind === 'claimed' && Math.abs(claimed.storeAheadMs) < 1_000).toBe(true);
  });

  test('says what an attempt for the same change has confirmed, and nothing once there is a newer one', async () => {
    const [claim, finish] = [claims(store, { leaseMs: 60_000, spacingMs: 0 }), finishes(store)];
    const id = await newAssociation();
    const take = async () => {
      const claimed = await claim(id);
      if (claimed.kind !== 'claimed') throw new Error('not claimed');
      return claimed;
    };
    const record = { sub_key: '', external_name: 'a', status: 'SYNCED', error: null, updated_at: '', generation: 1 };
    await finish(outcome(id, (await take()).token, { done: false, status: 'PENDING', records: [record] }));
    const again = await take();
    expect(again.confirmed).toEqual(['a']);
    await sql`update associations set generation = 2 where id = ${id}::bigint`.execute(store.db);
    expect(await finish(outcome(id, again.token, { records: [record] }))).toBe('superseded');
    expect((await take()).confirmed).toEqual([]);
  });
});

test('an outcome that cannot be stored leaves those that are written back with it as they are', async () => {
  const [claim, finish] = [claims(store, { leaseMs: 60_000, spacingMs: 0 }), finishes(store)];
  const ids = await Promise.all([1, 2, 3].map(() => newAssociation()));
  const tokens = await Promise.all(
    ids.map(async (id) => {
      const claimed = await claim(id);
      return claimed.kind === 'claimed' ? claimed.token : '';
    }),
  );
  const finished = await Promise.allSettled(
    ids.map((id, index) => finish(outcome(id, tokens[index] ?? '', index === 1 ? { error: unstorable } : {}))),
  );
  expect(finished.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

const unstorable = { kind: 'internal', message: 'a\0b' };

describe('an association that was pushed a moment ago', () => {
  const spaced = () => claims(store, { leaseMs: 60_000, spacingMs: 60_000 });
  async function pushed(changes: number): Promise<string> {
    const id = await newAssociation();
    await sql`insert into sync_objects (association_id, destination_id, sub_key, external_name, name_key, mark, intended_at,
                                        written_at, tag_keys)
              values (${id}::bigint, ${destination}::bigint, '', ${id}, ${id}, 'm', now(), now(), '{}')`.execute(
      store.db,
    );
    await sql`update associations set observed_generation = 1, generation = 1 + ${changes}::int
               where id = ${id}::bigint`.execute(store.db);
    return id;
  }

  test('waits longer the more has changed since, up to 25 times', async () => {
    const claim = spaced();
    const waits: number[] = [];
    for (const changes of [1, 3, 25, 1_000]) {
      const early = await claim(await pushed(changes));
      waits.push(early.kind === 'early' ? Math.ceil(early.waitMs / 60_000) : 0);
    }
    expect(waits).toEqual([1, 3, 25, 25]);
  });

  test('is not waited for when it was set again, or has to go', async () => {
    const [set, removed] = [await pushed(1), await pushed(1)];
    await sql`update associations set forced_generation = generation where id = ${set}::bigint`.execute(store.db);
    await sql`update associations set desired = 'absent' where id = ${removed}::bigint`.execute(store.db);
    const claim = spaced();
    expect(kinds(await Promise.all([claim(set), claim(removed)]))).toEqual(['claimed', 'claimed']);
  });

  test('is taken when the clock was set back since, so that the push is in the future', async () => {
    const id = await pushed(3);
    await sql`update sync_objects set written_at = now() + interval '1 hour' where association_id = ${id}::bigint`.execute(
      store.db,
    );
    expect(kinds([await spaced()(id)])).toEqual(['claimed']);
  });

  test('is taken when its time has come', async () => {
    const id = await pushed(1);
    await sql`update sync_objects set written_at = now() - interval '61 seconds' where association_id = ${id}::bigint`.execute(
      store.db,
    );
    expect((await spaced()(id)).kind).toBe('claimed');
  });
});
