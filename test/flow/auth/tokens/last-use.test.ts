import { sql, type Transaction } from 'kysely';
import { describe, expect, test } from 'vitest';
import { dropExpired } from '#auth/token/revoke/revoke.ts';
import type { Database } from '#store/tables.ts';
import type { Answer } from '#test/support/flow/calls/ask.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);

const withToken = (token: string) => ({ headers: { 'x-service-token': token } });
const wrapped = async (value: string): Promise<string> => {
  const answer = await service.ask('POST', 'sys/wrapping/wrap', { value }, { headers: { 'x-vault-wrap-ttl': '1h' } });
  return Object(answer.body['wrap_info'])['token'];
};
const limited = async (uses: number): Promise<string> => {
  const { body } = await service.ask('POST', 'auth/token/create', { ttl: '1h', num_uses: uses });
  return Object(body['auth'])['client_token'];
};

/** Locks a table until the request waits for it, and sweeps the tokens in the locking transaction. */
async function sweptBetween(table: string, request: () => Promise<Answer>): Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  await service.store.transaction(async (tx) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx);
    answer = request();
    await eventually(() => isAwaited(table));
    await sweepTokens(tx);
  });
  if (answer === undefined) throw new Error('nothing was asked');
  return answer;
}

/** The same call as in the sweep. */
const sweepTokens = (tx: Transaction<Database>) =>
  dropExpired({ ...service.store, db: tx, transaction: (work) => work(tx) }, 1_000);

async function isAwaited(table: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_locks where relation = to_regclass(${table}) and not granted`.execute(service.store.db);
  return rows.length > 0;
}

describe('a wrapped reply that is being taken', () => {
  test.each([
    ['sys/wrapping/unwrap', 'POST', ({ data }: Answer) => data['value']],
    ['cubbyhole/response', 'GET', ({ data }: Answer) => JSON.parse(String(data['response'])).data.value],
  ] as const)('is not lost to a sweep: %s', async (path, verb, valueIn) => {
    const token = await wrapped('kept');
    const answer = await sweptBetween('wrapped_replies', () => service.ask(verb, path, undefined, withToken(token)));
    expect(answer.status, answer.text).toBe(200);
    expect(valueIn(answer)).toBe('kept');
    expect((await service.ask(verb, path, undefined, withToken(token))).status).toBeGreaterThanOrEqual(400);
  });

  test('is not lost to a sweep while it is wrapped again', async () => {
    const token = await wrapped('again');
    const answer = await sweptBetween('wrapped_replies', () =>
      service.ask('POST', 'sys/wrapping/rewrap', undefined, withToken(token)),
    );
    expect(answer.status, answer.text).toBe(200);
    const next = Object(answer.body['wrap_info'])['token'];
    const { data } = await service.ask('POST', 'sys/wrapping/unwrap', { token: next });
    expect(data).toEqual({ value: 'again' });
  });

  test('stays with its token when the request is refused before it takes the reply', async () => {
    const token = await wrapped('still there');
    const body = { raw: '{"token": 1', ...withToken(token) };
    expect((await service.ask('POST', 'sys/wrapping/unwrap', undefined, body)).status).toBe(400);
    const answer = await service.ask('POST', 'sys/wrapping/unwrap', undefined, withToken(token));
    expect(answer.data).toEqual({ value: 'still there' });
  });

  test('is taken by one of many while sweeps run', async () => {
    for (let round = 0; round < 12; round += 1) {
      const token = await wrapped(`round ${round}`);
      const take = () => service.ask('POST', 'sys/wrapping/unwrap', undefined, withToken(token));
      const [answers] = await Promise.all([
        Promise.all([take(), take(), take(), take()]),
        service.sweep(),
        service.sweep(),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    }
  });
});

describe('the last use of a token', () => {
  test('is not refused when a sweep runs in between', async () => {
    await service.ask('POST', 'auth/token/roles/brief', { token_num_uses: 1 });
    const { body } = await service.ask('POST', 'auth/token/create/brief', { ttl: '1h' });
    const token = Object(body['auth'])['client_token'];
    const renew = () => service.ask('POST', 'auth/token/renew-self', { increment: '2h' }, withToken(token));
    const answer = await sweptBetween('token_roles', renew);
    expect(answer.status, answer.text).toBe(200);
    expect((await service.ask('GET', 'auth/token/lookup-self', undefined, withToken(token))).status).toBe(403);
  });

  test('keeps the row for as long as its process lets a request run, whatever the settings of the sweep', async () => {
    const token = await limited(1);
    expect((await service.ask('GET', 'auth/token/lookup-self', undefined, withToken(token))).status).toBe(200);
    const left = async () => {
      const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from in_use_until - now())::float8 as seconds from tokens
         where num_uses < 0 order by in_use_until desc limit 1`.execute(service.store.db);
      return rows[0]?.seconds ?? 0;
    };
    expect(await left()).toBeGreaterThan(service.config.KEYFERRY_REQUEST_MS_MAX / 1_000);
    await sql`update tokens set in_use_until = now() where num_uses < 0`.execute(service.store.db);
    await service.sweep();
    expect(await left()).toBe(0);
  });

  test('is granted to exactly as many requests as the token has uses', async () => {
    for (let round = 0; round < 12; round += 1) {
      const token = await limited(4);
      const look = () => service.ask('GET', 'auth/token/lookup-self', undefined, withToken(token));
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: 16 }, look)),
        service.sweep(),
        service.sweep(),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(4).fill(200), ...Array(12).fill(403)]);
    }
  });
});
