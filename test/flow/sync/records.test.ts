import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { briefCalls, eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-b-kv';
const service = serviceOf([type], { ...briefCalls, KEYFERRY_SYNC_WAIT_MS: '10000' });

interface Listed {
  readonly id: string;
  readonly secret_name: string;
  readonly status: string;
}

const list = async (query: string, options = {}) => {
  const answer = await service.ask('GET', `sys/sync/records?${query}`, undefined, options);
  const data = (answer.data ?? {}) as {
    readonly records?: readonly Listed[];
    readonly after?: string;
    readonly total?: number;
  };
  return { status: answer.status, errors: answer.errors, ...data, records: data.records ?? [] };
};

const as = (token: string) => ({ headers: { 'x-service-token': token } });

async function tokenOf(rules: string): Promise<string> {
  const name = service.name('reader');
  await service.api.write(`sys/policies/acl/${name}`, { policy: rules });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: [name] });
  return (body as { readonly auth: { readonly client_token: string } }).auth.client_token;
}

test('a record has its destination, its entries and its error with a remedy', async () => {
  const destination = await service.destination(type);
  const secret = await service.secret({ v: '1' });
  service.fake(type).fail({ kind: 'denied', times: 100 });
  await service.set(type, destination, secret);
  const { records, total } = await list(`type=${type}&name=${destination}&status=CLIENT_SIDE_ERROR`);
  expect(total).toBe(1);
  const [record] = records;
  expect(record).toMatchObject({
    destination: { type, name: destination },
    mount: 'secret',
    secret_name: secret,
    status: 'CLIENT_SIDE_ERROR',
    error: { kind: 'permission', message: expect.any(String), remedy: expect.stringContaining('grant') },
    attempts: 1,
    next_attempt_at: null,
    pending_since: null,
    unconfirmed: false,
    recheck_at: null,
    entries: [{ sub_key: '', status: 'CLIENT_SIDE_ERROR', error: { kind: 'permission' } }],
  });
  const one = await service.ask('GET', `sys/sync/records/${record?.id}`);
  expect(one.data).toEqual(record);
});

test('the history of a record has its attempts, the newest first', async () => {
  const destination = await service.destination(type);
  const secret = await service.secret({ v: '1' });
  service.fake(type).fail({ kind: 'denied', times: 100 });
  await service.set(type, destination, secret);
  await service.untilQuiet();
  service.fake(type).heal();
  await service.ask('POST', 'sys/sync/replay', { type, name: destination });
  await service.untilQuiet();
  const id = (await list(`name=${destination}`)).records[0]?.id;
  const { data } = await service.ask('GET', `sys/sync/records/${id}/history`);
  expect(data).toEqual({
    attempts: [
      {
        ended_at: expect.any(String),
        duration_ms: expect.any(Number),
        calls: expect.any(Number),
        outcome: 'synced',
        error: null,
        external_request_id: null,
        generation: expect.any(Number),
      },
      expect.objectContaining({
        outcome: 'failed',
        error: { kind: 'permission', message: expect.any(String), remedy: expect.stringContaining('grant') },
      }),
    ],
  });
});

test('the pages of a list follow each other', async () => {
  const destination = await service.destination(type);
  for (const v of ['1', '2', '3']) await service.set(type, destination, await service.secret({ v }));
  const first = await list(`name=${destination}&limit=2`);
  expect(first).toMatchObject({ total: 3, total_at_least: false, records: [{}, {}] });
  const second = await list(`name=${destination}&limit=2&after=${first.after}`);
  expect(second).toMatchObject({ total: 3, after: null, records: [{}] });
  expect(new Set([...first.records, ...second.records].map(({ id }) => id)).size).toBe(3);
});

test.each([
  ['limit=501', 'limit must be at most 500'],
  ['limit=0', 'limit must be at least 1'],
  ['after=x', 'after is invalid'],
  ['status=LOST', 'status "LOST" is unknown'],
  ['type=none', 'type "none" is unknown'],
  ['nmae=x', 'nmae'],
])('%s is refused', async (query, text) => {
  const { status, errors } = await list(query);
  expect(status).toBe(400);
  expect(String(errors)).toContain(text);
});

test('a record that does not exist reads 404', async () => {
  for (const id of ['0', '999999999', 'x', '9'.repeat(19)])
    for (const path of [`sys/sync/records/${id}`, `sys/sync/records/${id}/history`])
      expect((await service.ask('GET', path)).status).toBe(404);
});

test('destinations whose associations the caller may not read are neither listed nor counted', async () => {
  const [open, closed] = [await service.destination(type), await service.destination(type)];
  const secret = await service.secret({ v: '1' });
  await service.set(type, open, secret);
  await service.set(type, closed, secret);
  const token = await tokenOf(`path "sys/sync/records*" { capabilities = ["read"] }
    path "sys/sync/destinations/${type}/${open}/associations" { capabilities = ["read"] }`);
  const seen = await list(`secret=${secret}`, as(token));
  expect(seen).toMatchObject({ total: 1, records: [{ destination: { name: open } }] });
  const hidden = (await list(`secret=${secret}&name=${closed}`)).records[0]?.id;
  expect((await service.ask('GET', `sys/sync/records/${seen.records[0]?.id}`, undefined, as(token))).status).toBe(200);
  expect((await service.ask('GET', `sys/sync/records/${hidden}`, undefined, as(token))).status).toBe(404);
  for (const [id, status] of [
    [seen.records[0]?.id, 200],
    [hidden, 404],
  ])
    expect((await service.ask('GET', `sys/sync/records/${id}/history`, undefined, as(token))).status).toBe(status);
  const other = await tokenOf(`path "sys/sync/destinations/*" { capabilities = ["read"] }`);
  expect((await list(`secret=${secret}`, as(other))).status).toBe(403);
});

test('a namespace lists its own records only', async () => {
  const destination = await service.destination(type);
  await service.set(type, destination, await service.secret({ v: '1' }));
  const namespace = service.name('team');
  await service.api.write(`sys/namespaces/${namespace}`, {});
  const inside = { headers: { 'x-service-namespace': namespace } };
  expect(await list('', inside)).toMatchObject({ status: 200, total: 0, records: [] });
  const id = (await list(`name=${destination}`)).records[0]?.id;
  for (const path of [`sys/sync/records/${id}`, `sys/sync/records/${id}/history`])
    expect((await service.ask('GET', path, undefined, inside)).status).toBe(404);
});

test('a write whose end was not seen is unconfirmed until the last recheck', async () => {
  const destination = await service.destination(type);
  const secret = await service.secret({ v: '1' });
  service.fake(type).fail({ kind: 'hang', times: 1, after: 1 });
  await service.set(type, destination, secret);
  await service.untilQuiet();
  const query = `name=${destination}&unconfirmed=true`;
  for (const recheck of [1, 2]) {
    const { records } = await list(query);
    expect(records, `before recheck ${recheck}`).toMatchObject([
      { status: 'SYNCED', unconfirmed: true, recheck_at: expect.any(String) },
    ]);
    expect(await service.associations(type, destination)).toMatchObject([
      { unconfirmed: true, recheck_at: expect.any(String) },
    ]);
    await sql`update associations set recheck_at = now() where recheck_at is not null`.execute(service.store.db);
    await service.sweep();
    await eventually(async () => {
      const { rows } = await sql<{ open: boolean }>`
        select exists(select 1 from associations where generation > observed_generation) as open`.execute(
        service.store.db,
      );
      return rows[0]?.open === false;
    });
  }
  expect((await list(query)).records).toEqual([]);
  expect(await service.associations(type, destination)).toMatchObject([{ unconfirmed: false, recheck_at: null }]);
});
