import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertVersions } from '#engines/kv/v2/write/batch.ts';
import { calling, root } from '../../setup.ts';
import { kv } from './setup.ts';

let it: Awaited<ReturnType<typeof kv>>;
beforeAll(async () => {
  it = await kv();
});
afterAll(() => it.store.close());

const entityId = '7d2e3179-f69b-450c-7179-ac8ee8bd8ca9';
const ada = { ...root, displayName: 'token-ada', policies: ['b', 'a'], entityId: '' };
const bob = { ...root, displayName: 'token-bob', entityId };
const as = (caller: typeof root) => calling(it.engine, it.mount, { caller });

/** For the policies `a` and `b`: the SHA-256 of "a", 0x7F, "b", 0, "root", as in servers of the API family. */
const adasClient = 'gdsWATYqGA50ULY8N9s4QB8BfX/LQdqQs1Gr6prCIIg=';
const byAda = (operation: string) => ({ actor: 'token-ada', client_id: adasClient, operation });
const byBob = (operation: string) => ({ actor: 'token-bob', client_id: entityId, entity_id: entityId, operation });

const metadata = async (path: string) => (await it.call('read', `metadata/${path}`))?.data;

describe('the author of a version', () => {
  test('is shown, and whether the secret existed', async () => {
    await as(ada)('write', 'data/a', { data: { n: 1 } });
    expect(await metadata('a')).toMatchObject({ last_updated_by: byAda('create') });
    await as(bob)('write', 'data/a', { data: { n: 2 }, options: { cas: 1 } });
    await as(ada)('patch', 'data/a', { data: { n: 3 } });
    expect(await metadata('a')).toMatchObject({
      last_updated_by: byAda('patch'),
      versions: {
        '1': { created_by: byAda('create'), deleted_by: null },
        '2': { created_by: byBob('update') },
        '3': { created_by: byAda('patch') },
      },
    });
  });

  test('is shown for a secret whose settings existed first', async () => {
    await as(ada)('write', 'metadata/b', { max_versions: 3 });
    expect(await metadata('b')).toMatchObject({ last_updated_by: null });
    await as(bob)('write', 'data/b', { data: {}, options: { cas: 0 } });
    expect(await metadata('b')).toMatchObject({ versions: { '1': { created_by: byBob('update') } } });
  });

  test('is shown for each write of a batch', async () => {
    await it.call('write', 'data/c1', { data: {} });
    const by = { create: JSON.stringify(byAda('create')), update: JSON.stringify(byBob('update')) };
    const version = { mountId: it.mount.id, data: Buffer.alloc(1), cas: undefined, by };
    const id = '00000000-0000-4000-8000-000000000001';
    await insertVersions(it.store.db, [
      { ...version, path: 'c1', id },
      { ...version, path: 'c2', id },
    ]);
    expect(await metadata('c1')).toMatchObject({
      last_updated_by: byBob('update'),
      versions: { '2': { created_by: byBob('update') } },
    });
    expect(await metadata('c2')).toMatchObject({
      last_updated_by: byAda('create'),
      versions: { '1': { created_by: byAda('create') } },
    });
  });

  test('is shown only by metadata/', async () => {
    const written = await as(ada)('write', 'data/d', { data: {} });
    const read = await it.call('read', 'data/d');
    expect(JSON.stringify([written, read])).not.toContain('created_by');
  });

  test('is null when it was not stored', async () => {
    await it.call('write', 'data/old', { data: {} });
    await sql`update kv_secrets set last_updated_by = null where path = 'old'`.execute(it.store.db);
    await sql`update kv_versions set created_by = null where path = 'old'`.execute(it.store.db);
    expect(await metadata('old')).toMatchObject({
      last_updated_by: null,
      versions: { '1': { created_by: null, deleted_by: null } },
    });
  });
});

describe('the author of a deletion', () => {
  test('is shown until it is undeleted', async () => {
    await as(ada)('write', 'data/e', { data: {} });
    await as(bob)('delete', 'data/e');
    expect(await metadata('e')).toMatchObject({
      last_updated_by: byBob('delete'),
      versions: { '1': { created_by: byAda('create'), deleted_by: byBob('delete') } },
    });
    await as(ada)('delete', 'data/e');
    expect(await metadata('e')).toMatchObject({ last_updated_by: byBob('delete') });
    await as(ada)('write', 'undelete/e', { versions: [1] });
    expect(await metadata('e')).toMatchObject({
      last_updated_by: byAda('undelete'),
      versions: { '1': { created_by: byAda('create'), deleted_by: null } },
    });
  });

  test('is shown for versions that were deleted by number, but not for destroyed ones', async () => {
    for (const n of [1, 2, 3]) await as(ada)('write', 'data/f', { data: { n } });
    await as(bob)('write', 'delete/f', { versions: [1, 2] });
    await as(ada)('write', 'delete/f', { versions: [1] });
    await as(ada)('write', 'destroy/f', { versions: [2, 3] });
    expect(await metadata('f')).toMatchObject({
      last_updated_by: byBob('update'),
      versions: {
        '1': { deleted_by: byBob('update'), destroyed: false },
        '2': { deleted_by: byBob('update'), destroyed: true },
        '3': { deleted_by: null, destroyed: true },
      },
    });
  });
});
