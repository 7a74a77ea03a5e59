import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaseFolders } from '#auth/lease/below.ts';
import { rootNamespace } from '#core/namespace.ts';
import type { OpenStore } from '#store/open.ts';
import { testStore } from '../../store/stores.ts';

let store: OpenStore;
const users = 200;
const tokensOfUser = 50;

beforeAll(async () => {
  store = await testStore();
  await sql`
    insert into tokens (hash, accessor, policies, display_name, path, type, num_uses, period, explicit_max_ttl, creation_ttl,
                        creation_time, expire_at, renewable, orphan, entity_id, role, bound_cidrs)
    select sha256((u || '.' || t)::bytea), u || '.' || t, '{default}', '', 'auth/userpass/login/user' || u, 'service', 0, 0, 0,
           3600, now(), now() + interval '1 day', true, true, '', '', '{}'
      from generate_series(1, ${users}::int) u, generate_series(1, ${tokensOfUser}::int) t`.execute(store.db);
  await sql`analyze tokens`.execute(store.db);
});
afterAll(() => store.close());

test('folders of leases are listed without reading the leases in them', async () => {
  const below = { namespaceId: rootNamespace.id, path: 'auth/userpass/login' };
  await store.db.transaction().execute(async (tx) => {
    const entries = async (): Promise<number> => {
      const { rows } = await sql<{ entries: number }>`
        select pg_stat_get_xact_tuples_returned('tokens_namespace_lease'::regclass)::int as entries`.execute(tx);
      return rows[0]?.entries ?? 0;
    };
    expect(await leaseFolders({ db: tx }, below, '', 1_000)).toHaveLength(users);
    expect(await entries()).toBeGreaterThanOrEqual(users);
    expect(await entries()).toBeLessThanOrEqual(3 * users + 64);
    const page = await leaseFolders({ db: tx }, below, 'user5/', 3);
    expect(page).toEqual(['user50/', 'user51/', 'user52/']);
  });
});
