import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import type { OpenStore } from '#store/open.ts';
import { markDirty } from '#store/outbox.ts';
import type { Claim } from '#sync/claim/claim.ts';
import { claims } from '#sync/claim/claims.ts';
import { finishes } from '#sync/claim/finish.ts';
import type { Finish } from '#sync/model/finish.ts';
import { running } from '#sync/model/pause.ts';
import { savePause } from '#sync/rows/destinations/store.ts';
import { untilLockWait } from '../../engines/kv/v2/setup.ts';
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
  tombstoned: [],
  remembered: null,
  rechecked: null,
  attempt: { outcome: 'synced', durationMs: 12, calls: 1, requestId: null },
  ...changes,
});

describe('a claim', () => {
  test('goes to one worker, even when several ask in the same batch', async () => {
    const claim = claims(store, { leaseMs: 60_000, spacingMs: 0 });
    const id = await newAssociation();
    expect(kinds(await Promise.all([claim(id), claim(id), claim(id)]))).toEqual(['busy', 'busy', 'claimed']);
    expect((await claim(id)).kind).toBe('busy');
  });

  test('goes to one of two processes', async () => {
    const [one, other] = [
      claims(store, { leaseMs: 60_000, spacingMs: 0 }),
      claims(store, { leaseMs: 60_000, spacingMs: 0 }),
    ];
    const id = await newAssociation();
    const claimed = await Promise.all([one(id), other(id)]);
    expect(kinds(claimed).filter((kind) => kind === 'claimed')).toHaveLength(1);
  });

  test('expires, and a late outcome is rejected once another worker has the association', async () => {
    const [brief, finish] = [claims(store, { leaseMs: 1, spacingMs: 0 }), finishes(store, silentLog)];
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

  test('is refused while its destination is paused, until the time of the pause has passed', async () => {
    const id = await newAssociation();
    const pause = (until: string) =>
      sql`update destinations set disabled = true, disabled_until = now() + ${until}::interval
           where id = ${destination}::bigint`.execute(store.db);
    const claim = claims(store, { leaseMs: 60_000, spacingMs: 0 });
    await sql`update destinations set disabled = true where id = ${destination}::bigint`.execute(store.db);
    expect(await claim(id)).toEqual({ kind: 'paused', leftMs: null });
    await pause('1 hour');
    expect(await claim(id)).toEqual({ kind: 'paused', leftMs: expect.closeTo(3_600_000, -4) });
    await pause('-1 second');
    expect((await claim(id)).kind).toBe('claimed');
    await sql`update destinations set disabled = false, disabled_until = null where id = ${destination}::bigint`.execute(
      store.db,
    );
  });

  test('that had to wait for a pause of its destination does not take it, although it cannot see the pause', async () => {
    const id = await newAssociation();
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { rows } = await sql<{ name: string }>`
      select name from destinations where id = ${destination}::bigint`.execute(store.db);
    const key = { namespace_id: 'root', type: 'cloud-a-sm', name: rows[0]?.name ?? '' };
    const pausing = store.transaction(async (tx) => {
      await savePause(tx, key, running, { disabled: true, until: null });
      begun.resolve();
      await over.promise;
    });
    await begun.promise;
    const claimed = claims(store, { leaseMs: 60_000, spacingMs: 0 })(id);
    await untilLockWait(store);
    over.resolve();
    await pausing;
    expect((await claimed).kind).toBe('paused');
    await store.transaction((tx) => savePause(tx, key, { disabled: true, until: null }, running));
    expect((await claims(store, { leaseMs: 60_000, spacingMs: 0 })(id)).kind).toBe('claimed');
  });

  test('of a deleted association is clean', async () => {
    expect(await claims(store, { leaseMs: 60_000, spacingMs: 0 })('987654321')).toMatchObject({ kind: 'clean' });
  });

  test('that had to wait does not take a change that arrived meanwhile, whose settings it cannot see', async () => {
    const id = await newAssociation();
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = store.transaction(async (tx) => {
      await sql`select 1 from sync_config for update`.execute(tx);
      begun.resolve();
      await over.promise;
    });
    await begun.promise;
    const claimed = claims(store, { leaseMs: 60_000, spacingMs: 0 })(id);
    await untilLockWait(store);
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

  test('reports how far the clock of the database is ahead, which is hardly at all here', async () => {
    const claimed = await claims(store, { leaseMs: 60_000, spacingMs: 0 })(await newAssociation());
    expect(claimed.kind === 'claimed' && Math.abs(claimed.storeAheadMs) < 1_000).toBe(true);
  });

  test('lists the objects that an attempt for the same change has confirmed, and none for a newer change', async () => {
    const [claim, finish] = [claims(store, { leaseMs: 60_000, spacingMs: 0 }), finishes(store, silentLog)];
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

test('an outcome that cannot be stored does not affect the others in its batch', async () => {
  const [claim, finish] = [claims(store, { leaseMs: 60_000, spacingMs: 0 }), finishes(store, silentLog)];
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

  test('is claimed at once when it was set again or has to be removed', async () => {
    const [set, removed] = [await pushed(1), await pushed(1)];
    await sql`update associations set forced_generation = generation where id = ${set}::bigint`.execute(store.db);
    await sql`update associations set desired = 'absent' where id = ${removed}::bigint`.execute(store.db);
    const claim = spaced();
    expect(kinds(await Promise.all([claim(set), claim(removed)]))).toEqual(['claimed', 'claimed']);
  });

  test('is claimed when the clock was set back, so that the push is in the future', async () => {
    const id = await pushed(3);
    await sql`update sync_objects set written_at = now() + interval '1 hour' where association_id = ${id}::bigint`.execute(
      store.db,
    );
    expect(kinds([await spaced()(id)])).toEqual(['claimed']);
  });

  test('is claimed when the waiting time is over', async () => {
    const id = await pushed(1);
    await sql`update sync_objects set written_at = now() - interval '61 seconds' where association_id = ${id}::bigint`.execute(
      store.db,
    );
    expect((await spaced()(id)).kind).toBe('claimed');
  });
});
