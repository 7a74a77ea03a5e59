import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ending } from '../support/services.ts';
import { testStore } from './stores.ts';

test('an opened store keeps a sealed value and opens it again', async () => {
  const store = ending(await testStore());
  const sealed = store.barrier.seal('value', 'here');
  expect(sealed.includes('value')).toBe(false);
  expect(store.barrier.open(sealed, 'here').toString()).toBe('value');
  expect(store.seal.state()).toBe('ready');
});

test('ids come back as text and counters as numbers', async () => {
  const store = ending(await testStore());
  const config = await store.db.selectFrom('sync_config').selectAll().executeTakeFirstOrThrow();
  expect(config).toEqual({ id: 1, disabled: false, disabled_until: null, queue_capacity: 1_000_000 });
  const { rows } = await sql<{ id: unknown }>`select 9007199254740993::bigint as id`.execute(store.db);
  expect(rows).toEqual([{ id: '9007199254740993' }]);
});
