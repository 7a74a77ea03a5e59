import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { rootNamespace } from '#core/namespace.ts';
import type { Store } from '#store/store.ts';
import { listSecrets } from '#sync/rows/associations/listed-secrets.ts';
import { loadAssociations, ofDestination, ofDestinationAfter } from '#sync/rows/associations/store.ts';
import { partsOf } from '#sync/rows/fields/pages.ts';
import { insertAssociations } from '#test/support/flow/many/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { associationEntriesRead } from '#test/support/measures/rows-read.ts';

const service = serviceOf();
const pagesMax = 100;

/** Reads a list in pages, by `next`. */
async function pagesOf(
  method: string,
  path: string,
  limit: number,
  between: (page: number) => Promise<unknown> = async () => {},
) {
  const pages: Readonly<Record<string, unknown>>[] = [];
  for (let after = ''; pages.length < pagesMax; ) {
    const { status, data } = await service.ask(
      'GET',
      `${path}?list=${method === 'LIST'}&limit=${limit}&after=${encodeURIComponent(after)}`,
    );
    expect(status).toBe(200);
    pages.push(data);
    if (data['next'] === undefined) return pages;
    after = String(data['next']);
    await between(pages.length);
  }
  throw new Error('the pages do not end');
}

const keysOf = (pages: readonly Readonly<Record<string, unknown>>[]) => pages.flatMap(({ keys }) => keys as string[]);

describe('destinations', () => {
  test('are listed in pages by type and name, in both vocabularies, each exactly once', async () => {
    for (const type of ['repo-host', 'cloud-a-sm', 'cloud-a-sm', 'cloud-a-sm', 'workspace-vars'])
      await service.destination(type);
    const whole = await service.ask('LIST', 'sys/sync/destinations');
    const pages = await pagesOf('LIST', 'sys/sync/destinations', 2);
    const merged = new Map<string, string[]>();
    for (const { key_info } of pages)
      for (const [type, names] of Object.entries(key_info as Record<string, string[]>))
        merged.set(type, [...(merged.get(type) ?? []), ...names]);
    expect(Object.fromEntries(merged)).toEqual(whole.data['key_info']);
    expect(pages.length).toBeGreaterThanOrEqual(3);
    expect(pages[0]).not.toHaveProperty('total_destinations');
    const alias = await service.ask('GET', 'sys/sync/destinations?list=true&limit=1&after=aws-sm/', undefined, {
      headers: { 'x-vault-request': 'true' },
    });
    expect(alias.data).toMatchObject({ keys: ['aws-sm/'], next: expect.stringMatching(/^aws-sm\/./) });
  });

  test('of a type are listed in pages, also while others are created and deleted', async () => {
    const type = 'deploy-host-project';
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.push(await service.destination(type));
    const listed = keysOf(
      await pagesOf('LIST', `sys/sync/destinations/${type}`, 2, async (page) => {
        if (page !== 1) return;
        await service.ask('POST', `sys/sync/destinations/${type}/0-before`, service.fake(type).destination);
        await service.ask('POST', `sys/sync/destinations/${type}/zzz-after`, service.fake(type).destination);
        await service.ask('DELETE', `sys/sync/destinations/${type}/${made.toSorted()[1]}`);
      }),
    );
    expect(listed).toEqual([...made.toSorted(), 'zzz-after']);
    expect((await service.ask('LIST', `sys/sync/destinations/${type}`)).data['total_destinations']).toBe(6);
  });

  test('after the last one there is nothing', async () => {
    expect((await service.ask('GET', 'sys/sync/destinations/cloud-a-sm?list=true&after=zzzzzz')).status).toBe(404);
  });
});

test('apps are listed in pages', async () => {
  const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  for (const name of ['app-b', 'app-a', 'app-c'])
    await service.ask('POST', `sys/sync/github-apps/${name}`, { app_id: 7, private_key: pem });
  const pages = await pagesOf('LIST', 'sys/sync/github-apps', 1);
  expect(keysOf(pages)).toEqual(['app-a', 'app-b', 'app-c']);
  expect(keysOf(await pagesOf('LIST', 'sys/sync/github-apps', 1_000))).toEqual(['app-a', 'app-b', 'app-c']);
});

describe('20,000 associations of a destination', () => {
  const count = 20_000;

  test('are read in pages, each exactly once, without reading those before a page', { timeout: 120_000 }, async () => {
    const name = await service.destination('cloud-b-kv');
    await insertAssociations(service, name, count);
    await sql`vacuum analyze associations`.execute(service.store.db);
    const path = `sys/sync/destinations/cloud-b-kv/${name}/associations`;
    const pages = await pagesOf('GET', path, 1_500);
    const keys = pages.flatMap(({ associated_secrets }) => Object.keys(associated_secrets as object));
    expect(new Set(keys).size).toBe(count);
    expect(keys).toHaveLength(count);
    expect(pages[0]).not.toHaveProperty('sync_operation_counters');
    const listed = keysOf(await pagesOf('LIST', 'sys/sync/associations', 1_500)).filter((key) => key.includes(name));
    expect(listed).toHaveLength(count);
    expect(new Set(listed).size).toBe(count);
    const id = await idOf(name);
    const [mountId, secretName] = partsOf(String(pages.at(-3)?.['next']));
    const after = { mountId, secretName };
    const ofOne = (store: Store) => loadAssociations(store, ofDestinationAfter(id, after), 100);
    const ofAll = (store: Store) => listSecrets(store, rootNamespace.id, { after, size: 100 });
    for (const read of [ofOne, ofAll]) expect(await associationsRead(read)).toBeLessThan(400);
    expect(await associationsRead((store) => loadAssociations(store, ofDestination(id)))).toBeGreaterThanOrEqual(count);
    await service.ask('DELETE', `sys/sync/destinations/cloud-b-kv/${name}?force_delete=true`);
  });
});

async function idOf(name: string): Promise<string> {
  const rows = await service.store.db.selectFrom('destinations').select('id').where('name', '=', name).execute();
  return String(rows[0]?.id);
}

/** How many entries of the table and its indexes `read` goes through. */
async function associationsRead(read: (store: Store) => Promise<unknown>): Promise<number> {
  return service.store.db.transaction().execute(async (tx) => {
    const before = await associationEntriesRead(tx);
    await read({ ...service.store, db: tx, transaction: (work) => work(tx) });
    return (await associationEntriesRead(tx)) - before;
  });
}

test.each([
  ['sys/sync/destinations', 'limit=many', 'limit'],
  ['sys/sync/destinations', 'after=none/x', 'after'],
  ['sys/sync/destinations', 'after=cloud-a-sm', 'after'],
  ['sys/sync/destinations/cloud-a-sm', 'limit=1.5', 'limit'],
  ['sys/sync/associations', 'after=secret/app', 'after'],
  ['secret/metadata/', 'limit=x', 'limit'],
])('a list of %s refuses %s', async (path, query, field) => {
  const { status, body } = await service.ask('GET', `${path}?list=true&${query}`);
  expect([status, Object(body['problems'])[0]?.field]).toEqual([400, field]);
});
