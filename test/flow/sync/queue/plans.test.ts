import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '#store/store.ts';
import { replayPage } from '#sync/batches/replay/page.ts';
import { inFlight, stillInFlight } from '#sync/rows/pause/in-flight.ts';
import { beginning, purgePage } from '#sync/sweep/purge/page.ts';
import { dirtyAfter } from '#sync/sweep/requeue.ts';
import { insertAssociations } from '#test/support/flow/many/associations.ts';
import { wholeReads } from '#test/support/flow/many/whole-reads.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);

let destinationName = '';
beforeAll(async () => {
  destinationName = await service.destination(type);
  await insertAssociations(service, destinationName, 20_000);
  await sql`update associations set status = 'INTERNAL_ERROR' where id % 500 = 0`.execute(service.store.db);
  await sql`vacuum analyze associations`.execute(service.store.db);
});
afterAll(async () => {
  await service.ask('DELETE', `sys/sync/destinations/${type}/${destinationName}?force_delete=true`);
});

const statements: readonly { readonly name: string; readonly run: (store: Store) => Promise<unknown> }[] = [
  { name: 'the page of dirty associations', run: (store) => dirtyAfter(store, '0', 1_000) },
  {
    name: 'the page of a replay of failed syncs',
    run: (store) => replayPage(store, { namespaceId: undefined }, undefined, '0'),
  },
  {
    name: 'the page of a replay of all syncs',
    run: (store) => replayPage(store, { namespaceId: undefined, syncStatus: 'SYNCED' }, ['1'], '5000'),
  },
  { name: 'the page of a purge', run: (store) => purgePage(store.db, '1', beginning) },
  { name: 'the wait for operations in flight', run: async (store) => stillInFlight(store, await inFlight(store)) },
];

test.each(statements)('$name does not read all associations', async ({ run }) => {
  expect(await wholeReads(service.store, run)).toBe(0);
});

test('a statement that reads all associations is detected', async () => {
  expect(
    await wholeReads(service.store, ({ db }) => sql`select count(*) from associations where attempts = 7`.execute(db)),
  ).toBe(1);
});
