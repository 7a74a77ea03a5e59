import { describe, expect, test } from 'vitest';
import { insertManyDestinations } from '#test/support/flow/many/destinations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const types = ['cloud-a-sm', 'cloud-b-kv'];
const service = serviceOf(types);
const pagesMax = 200;

interface Selected {
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly matching?: number;
  readonly matching_at_least?: boolean;
  readonly after?: string | null;
  readonly destinations: readonly { readonly type: string; readonly name: string; readonly total: number }[];
}

async function read(query: Readonly<Record<string, string>>, namespace = '', token = service.rootToken) {
  const { status, data, body, text } = await service.ask(
    'GET',
    `sys/sync/overview?${new URLSearchParams(query)}`,
    undefined,
    { headers: { 'x-service-namespace': namespace, 'x-service-token': token } },
  );
  expect(status, text).toBe(200);
  return { ...(data as unknown as Selected), warnings: (body['warnings'] ?? []) as string[] };
}

/** The names of all pages, each page once. */
async function namesOf(query: Readonly<Record<string, string>>, namespace = '') {
  const names: string[] = [];
  for (let [page, after] = [0, '']; page < pagesMax; page += 1) {
    const reply = await read({ ...query, after }, namespace);
    names.push(...reply.destinations.map(({ name }) => name));
    if (reply.after === null || reply.after === undefined) return names;
    after = reply.after;
  }
  throw new Error('the pages do not end');
}

/** A namespace with a working destination, one that failed twice, and a paused one without syncs. */
async function seeded() {
  const group = service.name('group');
  const [failing, good, paused] = [`${group}-c-failing`, `${group}-a-good`, `${group}-b-Paused`];
  const create = (type: string, name: string, changes: object = {}) =>
    service.ask('POST', `sys/sync/destinations/${type}/${name}`, { ...service.fake(type).destination, ...changes });
  await create('cloud-a-sm', good);
  await create('cloud-a-sm', failing, { secret_access_key: 'not-the-key' });
  await create('cloud-b-kv', paused, { disabled: true });
  await service.set('cloud-a-sm', good, await service.secret({ v: '1' }));
  for (const value of ['1', '2']) await service.set('cloud-a-sm', failing, await service.secret({ v: value }));
  await eventually(async () => {
    const { counts } = await read({ find: group });
    return counts['CLIENT_SIDE_ERROR'] === 2 && counts['SYNCED'] === 1;
  });
  return { group, failing, good, paused };
}

describe('the destinations of the overview', () => {
  test('are selected by type, name and state, and the numbers are theirs', async () => {
    const { group, failing, good, paused } = await seeded();
    const names = async (query: Readonly<Record<string, string>>) =>
      (await read({ find: group, ...query })).destinations.map(({ name }) => name);
    expect(await names({})).toEqual([good, failing, paused]);
    expect(await names({ type: 'cloud-b-kv' })).toEqual([paused]);
    expect(await names({ name: good })).toEqual([good]);
    expect(await names({ find: `${group}-B-PAUSED` })).toEqual([paused]);
    expect(await names({ state: 'failed' })).toEqual([failing]);
    expect(await names({ state: 'failed,paused' })).toEqual([failing, paused]);
    expect(await names({ state: 'healthy' })).toEqual([good]);
    expect(await names({ state: 'purging' })).toEqual([]);
    expect(await names({ sort: 'failed' })).toEqual([failing, good, paused]);
    expect(await names({ sort: 'total' })).toEqual([failing, good, paused]);
    expect(await read({ find: group, state: 'failed', limit: '1' })).toMatchObject({
      total: 2,
      counts: { CLIENT_SIDE_ERROR: 2 },
      matching: 1,
      matching_at_least: false,
      after: null,
    });
    expect(await read({ find: group })).not.toHaveProperty('matching');
  });

  test.each(['name', 'failed', 'pending', 'total'])('come page by page, each exactly once, by %s', async (sort) => {
    const { group, failing, good, paused } = await seeded();
    const names = await namesOf({ find: group, sort, limit: '1' });
    expect(names.toSorted()).toEqual([good, failing, paused].toSorted());
    expect(await namesOf({ find: group, sort, limit: '2' })).toEqual(names);
  });

  test('are only those that the caller may read', async () => {
    const { group, good } = await seeded();
    const policy = service.name('reader');
    await service.api.write(`sys/policies/acl/${policy}`, {
      policy: `path "sys/sync/overview" { capabilities = ["read"] }
        path "sys/sync/destinations/cloud-a-sm/${good}/associations" { capabilities = ["read"] }`,
    });
    const made = await service.ask('POST', 'auth/token/create', { policies: [policy] });
    const { client_token } = made.body['auth'] as { readonly client_token: string };
    const seen = await read({ find: group, limit: '10' }, '', client_token);
    expect([seen.matching, seen.total, seen.destinations.map(({ name }) => name)]).toEqual([1, 1, [good]]);
  });

  test.each([
    ['type=none', 'type "none" is unknown'],
    ['state=odd', 'state must be one of'],
    ['sort=odd', 'sort must be one of'],
    ['limit=0', 'limit must be at least 1'],
    ['limit=1001', 'limit must be at most 1000'],
    ['after=odd', 'after is invalid'],
    [`after=${Buffer.from('[-1,"a","b"]').toString('base64url')}`, 'after is invalid'],
  ])('?%s is refused', async (query, text) => {
    const { status, errors } = await service.ask('GET', `sys/sync/overview?${query}`);
    expect([status, errors.join()]).toEqual([400, expect.stringContaining(text)]);
  });
});

test('beyond those of one reading, destinations are found by name, and reached page by page', async () => {
  const namespace = service.name('team');
  await service.api.write(`sys/namespaces/${namespace}`, {});
  const count = 10_500;
  await insertManyDestinations(service, 'cloud-a-sm', 'many', count, namespace);
  const first = await read({ limit: '100' }, namespace);
  expect([first.matching, first.matching_at_least, first.destinations.length]).toEqual([10_000, true, 100]);
  expect(first.warnings).toEqual([expect.stringContaining('first 10000 destinations are counted')]);
  const found = await read({ find: 'MANY-10499', limit: '100' }, namespace);
  expect([found.matching, found.destinations.map(({ name }) => name)]).toEqual([1, ['many-10499']]);
  expect(found.warnings).toEqual([]);
  const names = await namesOf({ limit: '1000' }, namespace);
  expect([names.length, new Set(names).size, names.at(-1)]).toEqual([count, count, 'many-10500']);
  const worst = await read({ sort: 'failed', limit: '1000' }, namespace);
  expect(worst.warnings).toEqual([expect.stringContaining('are shown and counted')]);
});
