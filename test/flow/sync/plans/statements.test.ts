import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import type { Store } from '#store/store.ts';
import { loadUnclaimed } from '#sync/ask/plan/load.ts';
import { changePage } from '#sync/batches/page.ts';
import { applyPlan } from '#sync/batches/plans/apply.ts';
import { planDestinations, planSecretsAfter } from '#sync/batches/plans/contents.ts';
import { keepPage, type PlannedItem } from '#sync/batches/plans/keep.ts';
import { settlePage } from '#sync/batches/settle.ts';
import { keptActions } from '#sync/reconcile/bound/kept-actions.ts';
import { insertAssociations } from '#test/support/flow/many/associations.ts';
import { wholeReads } from '#test/support/flow/many/whole-reads.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const all = 100_000;

let destination = { id: '', name: '' };
beforeAll(async () => {
  const name = await service.destination(type);
  await insertAssociations(service, name, all);
  await sql`vacuum analyze associations`.execute(service.store.db);
  const { rows } = await sql<{ id: string }>`select id::text as id from destinations where name = ${name}`.execute(
    service.store.db,
  );
  destination = { id: rows[0]?.id ?? '', name };
});
afterAll(async () => {
  await service.ask('DELETE', `sys/sync/destinations/${type}/${destination.name}?force_delete=true`);
});

/** Associations of the destination, as a plan that updates them has them. */
async function itemsOf(count: number): Promise<readonly PlannedItem[]> {
  const { rows } = await sql<{ id: string; name: string; generation: number }>`
    select a.id::text as id, secret_name as name, generation from associations a
     where destination_id = ${destination.id}::bigint order by a.id limit ${count}::int`.execute(service.store.db);
  return rows.map(({ id, name, generation }) => ({
    associationId: id,
    generation,
    mountPath: 'secret/',
    secretName: name,
    actions: [{ name, action: 'update', version: null, looked: true }],
  }));
}

/** Keeps and applies a plan, and does and counts a page of it. The statements that read all associations, by name. */
async function readAll(count: number): Promise<readonly string[]> {
  const found: string[] = [];
  const run = async <T>(name: string, work: (store: Store) => Promise<T>): Promise<T> => {
    let result: T | undefined;
    const reads = await wholeReads(service.store, async (store) => {
      result = await work(store);
    });
    if (reads > 0) found.push(name);
    return result as T;
  };
  const items = await itemsOf(count);
  const [first] = items;
  const ids = items.slice(0, 500).map(({ associationId }) => associationId);
  const planned = { ...destination, type, revision: 1 };
  const { rows } = await sql<{ revision: number }>`
    select revision from destinations where id = ${destination.id}::bigint`.execute(service.store.db);
  const revision = rows[0]?.revision ?? planned.revision;
  await run('the associations of a page of a plan', (store) => loadUnclaimed(store, destination.id, ids));
  const plan = await run('keeping a page', (store) =>
    keepPage(store, 'root', undefined, [{ ...planned, revision, items }]),
  );
  await run('the destinations of a plan', (store) => planDestinations(store, 'root', plan));
  await run('the secrets of a plan', (store) => planSecretsAfter(store, 'root', plan, '0'));
  const batch = await run('the comparison before an apply, and its batch', (store) =>
    applyPlan(store, 'root', plan, null),
  );
  const page = await run('a page of an apply', (store) => changePage({ ...unused, store }, batch, all));
  expect(page?.dirty.length).toBe(Math.min(500, count));
  const [dirty] = page?.dirty ?? [];
  const claimed = { id: first?.associationId ?? '', generation: dirty?.generation ?? 0 };
  const kept = await run('what a plan says of an association', (store) => keptActions(store, claimed));
  expect(kept?.actions).toHaveLength(1);
  await run('the outcomes of a page', (store) => settlePage(store, batch));
  await service.ask('POST', `sys/sync/batches/${batch}/cancel`, {});
  return found;
}

/** An apply associates no secret, so it needs none of them. */
const unused = {
  definitions,
  holdSecrets: () => Promise.reject(new Error('an apply associates nothing')),
} as const;

test.each([100, 5_000])(
  'a plan of %i of 100,000 associations is kept and applied without reading all of them',
  async (count) => {
    expect(await readAll(count)).toEqual([]);
  },
);
