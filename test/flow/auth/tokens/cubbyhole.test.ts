import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { cubbyholeEntriesMax } from '#engines/cubbyhole/store.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);

async function tokenOf(fields: object = {}): Promise<string> {
  const made = await service.ask('POST', 'auth/token/create', fields);
  return String(Object(made.body['auth'])['client_token']);
}

const as = (token: string) => (method: string, path: string, body?: unknown) =>
  service.ask(method, `cubbyhole/${path}`, body, { headers: { 'x-service-token': token } });

test('a secret is written, read, listed, replaced and deleted', async () => {
  const ask = as(await tokenOf());
  expect((await ask('POST', 'app/one', { a: 1, path: 'field' })).status).toBe(204);
  await ask('PUT', 'app/deep/two', { b: 2 });
  await ask('PUT', 'three', { c: 12345678901234567890n.toString() });
  const read = await ask('GET', 'app/one');
  expect(read).toMatchObject({ status: 200, data: { a: 1, path: 'field' } });
  expect(read.body).toMatchObject({ lease_duration: 0, mount_type: 'cubbyhole' });
  expect((await ask('LIST', '')).data).toEqual({ keys: ['app/', 'three'] });
  expect((await ask('LIST', 'app')).data).toEqual({ keys: ['deep/', 'one'] });
  expect((await ask('LIST', 'ap')).status).toBe(404);
  await ask('POST', 'app/one', { other: true });
  expect((await ask('GET', 'app/one')).data).toEqual({ other: true });
  expect((await ask('DELETE', 'app/one')).status).toBe(204);
  expect((await ask('DELETE', 'app/one')).status).toBe(204);
  expect((await ask('GET', 'app/one')).status).toBe(404);
});

test('no other token can read it, not even a root token', async () => {
  const [one, other] = [as(await tokenOf()), as(await tokenOf())];
  await one('POST', 'mine', { a: 1 });
  expect((await other('GET', 'mine')).status).toBe(404);
  expect((await other('LIST', '')).status).toBe(404);
  await other('DELETE', 'mine');
  expect((await one('GET', 'mine')).data).toEqual({ a: 1 });
  expect((await service.ask('GET', 'cubbyhole/mine')).status).toBe(404);
});

test('it is deleted with its token, whatever ends the token', async () => {
  const token = await tokenOf();
  await as(token)('POST', 'left', { a: 1 });
  const rows = async () =>
    (await sql`select 1 from cubbyhole where path = 'left'`.execute(service.store.db)).rows.length;
  expect(await rows()).toBe(1);
  await service.ask('POST', 'auth/token/revoke-self', {}, { headers: { 'x-service-token': token } });
  expect(await rows()).toBe(0);
});

test('secrets are stored sealed', async () => {
  await service.ask('POST', 'cubbyhole/sealed', { key: 'a-plain-text' });
  const { rows } = await sql<{ data: Buffer }>`select data from cubbyhole where path = 'sealed'`.execute(
    service.store.db,
  );
  expect(rows[0]?.data.includes('a-plain-text')).toBe(false);
});

test.each([
  ['POST', 'empty', {}, 'missing data fields'],
  ['POST', 'list', [1], ''],
  ['POST', 'long'.repeat(600), { a: 1 }, 'longer than 2048 bytes'],
  ['POST', 'nul%00', { a: 1 }, 'unprintable'],
] as const)('%s of %.20s is a bad request', async (method, path, body, text) => {
  const answer = await service.ask(method, `cubbyhole/${path}`, body);
  expect(answer.status).toBe(400);
  expect(answer.errors.join()).toContain(text);
});

test('a token has a limited number of secrets, and concurrent writes are counted one after the other', async () => {
  const ask = as(await tokenOf());
  await ask('POST', 'limited', { a: 1 });
  const { db } = service.store;
  const fill = (most: number) => sql`
    insert into cubbyhole select token_hash, 'p' || n, data from cubbyhole, generate_series(1, ${most}::int) n
     where path = 'limited' on conflict do nothing`;
  await fill(cubbyholeEntriesMax - 2).execute(db);
  const { late, early } = await db.transaction().execute(async (tx) => {
    await sql`select 1 from tokens t join cubbyhole c on c.token_hash = t.hash where c.path = 'limited'
                for no key update of t`.execute(tx);
    await fill(cubbyholeEntriesMax - 1).execute(tx);
    let answered = false;
    const answer = ask('POST', 'late', { a: 1 }).finally(() => {
      answered = true;
    });
    await eventually(async () => answered || (await isWaiting()));
    return { late: answer, early: answered };
  });
  expect([early, (await late).status]).toEqual([false, 400]);
  expect((await late).errors.join()).toContain(`at most ${cubbyholeEntriesMax} secrets`);
  expect((await ask('POST', 'limited', { a: 2 })).status).toBe(204);
});

async function isWaiting(): Promise<boolean> {
  const { rows } =
    await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      service.store.db,
    );
  return rows.length > 0;
}

test('it is listed as a mount, and cannot be moved, unmounted or mounted again', async () => {
  const { data } = await service.ask('GET', 'sys/mounts');
  expect(data['cubbyhole/']).toMatchObject({ type: 'cubbyhole' });
  for (const path of ['cubbyhole', 'sys', 'auth/token']) {
    const moved = await service.ask('POST', 'sys/remount', { from: path, to: 'elsewhere' });
    expect([path, moved.status]).toEqual([path, 400]);
    const onto = await service.ask('POST', 'sys/remount', { from: 'secret', to: path });
    expect([path, onto.status]).toEqual([path, 400]);
    const gone = await service.ask('DELETE', `sys/mounts/${path}`);
    expect([path, gone.status]).toEqual([path, 400]);
  }
  expect((await service.ask('POST', 'sys/mounts/mine', { type: 'cubbyhole' })).status).toBe(400);
  expect((await service.ask('POST', 'sys/mounts/cubbyhole/below', { type: 'kv' })).status).toBe(400);
});
