import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type Answer, ask } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);

const wrapping = (ttl: string) => ({ headers: { 'x-vault-wrap-ttl': ttl } });
const infoOf = (answer: Answer) => Object(answer.body['wrap_info']);
const tokenIn = (answer: Answer): string => String(infoOf(answer)['token']);
const withToken = (token: string | undefined) => ({ headers: { 'x-service-token': token } });
const wrapData = async (data: object, ttl = '60') =>
  tokenIn(await service.ask('POST', 'sys/wrapping/wrap', data, wrapping(ttl)));

describe('a wrapped reply', () => {
  test('shows only its token, and is unwrapped unchanged', async () => {
    await service.ask('POST', 'secret/data/w', { data: { password: 'behind' } });
    const plain = await service.ask('GET', 'secret/data/w');
    const answer = await service.ask('GET', 'secret/data/w', undefined, wrapping('1h'));
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('behind');
    expect(answer.body).toMatchObject({ request_id: '', data: null, auth: null });
    expect(infoOf(answer)).toEqual({
      token: expect.stringMatching(/^hvs\./),
      accessor: expect.stringMatching(/^\w{24}/),
      ttl: 3_600,
      creation_time: expect.stringMatching(/^\d{4}-.*Z$/),
      creation_path: 'secret/data/w',
    });
    const unwrapped = await service.ask('POST', 'sys/wrapping/unwrap', { token: tokenIn(answer) });
    expect(unwrapped.data).toEqual(plain.data);
    expect(unwrapped.body['request_id']).not.toBe('');
  });

  test('with a new token names its accessor', async () => {
    const answer = await service.ask('POST', 'auth/token/create', { ttl: '1h' }, wrapping('60'));
    expect(answer.body['auth']).toBeNull();
    const { token, wrapped_accessor } = infoOf(answer);
    const unwrapped = await service.ask('PUT', 'sys/wrapping/unwrap', undefined, withToken(token));
    expect(unwrapped.body['auth']).toMatchObject({ accessor: wrapped_accessor });
  });

  test('of a listing is unwrapped unchanged, and an empty listing stays a 404', async () => {
    await service.ask('POST', 'secret/data/listed/one', { data: {} });
    const answer = await service.ask('LIST', 'secret/metadata/listed', undefined, wrapping('60'));
    expect(answer.status).toBe(200);
    const unwrapped = await service.ask('POST', 'sys/wrapping/unwrap', { token: tokenIn(answer) });
    expect(unwrapped.data).toEqual({ keys: ['one'] });
    const empty = await service.ask('LIST', 'secret/metadata/unlisted', undefined, wrapping('60'));
    expect(empty).toMatchObject({ status: 404, errors: [] });
  });

  test('is stored sealed', async () => {
    await wrapData({ value: 'a-plain-text' });
    const { rows } = await sql<{ reply: Buffer }>`select reply from wrapped_replies`.execute(service.store.db);
    expect(rows.some(({ reply }) => reply.includes('a-plain-text'))).toBe(false);
    expect(rows.length).toBeGreaterThan(0);
  });

  test('keeps every digit of a number and every character', async () => {
    const token = tokenIn(
      await service.ask('POST', 'sys/wrapping/wrap', undefined, {
        raw: '{"n":12345678901234567890,"t":"ü\\u2028"}',
        ...wrapping('60'),
      }),
    );
    const { text } = await service.ask('POST', 'sys/wrapping/unwrap', { token });
    expect(text).toContain('12345678901234567890');
    expect(JSON.parse(text).data.t).toBe('ü\u2028');
  });
});

describe('replies that are not wrapped', () => {
  test.each([
    ['a reply without a body', 'POST', 'secret/data/x', 200],
    ['an error', 'GET', 'secret/data/not-there', 404],
    ['an unknown path', 'GET', 'sys/nothing', 404],
    ['help', 'GET', 'secret/data/x?help=1', 200],
    ['the health', 'GET', 'sys/health', 200],
  ])('%s', async (name, method, path, status) => {
    const noBody = name === 'a reply without a body';
    const asked = noBody ? 'cubbyhole/x' : path;
    const answer = await service.ask(method, asked, noBody ? { a: 1 } : undefined, wrapping('60'));
    expect(answer.status).toBe(noBody ? 204 : status);
    expect(answer.body['wrap_info'] ?? null).toBeNull();
  });

  test('a change whose reply cannot be wrapped is refused before it runs', async () => {
    expect((await service.ask('POST', 'sys/seal', {}, wrapping('60'))).status).toBe(400);
    expect((await service.ask('GET', 'sys/seal-status')).body['sealed']).toBe(false);
  });

  test('for longer than a token can live', async () => {
    const answer = await service.ask('POST', 'auth/token/create', {}, wrapping('99999999999'));
    expect(answer).toMatchObject({ status: 400, errors: ['the requested wrap ttl may be at most 2147483647 seconds'] });
  });
});

describe('a wrapping token', () => {
  const refused = { status: 400, errors: ['wrapping token is not valid or does not exist'] };

  test('is used up by one unwrap, however it is sent', async () => {
    for (const send of [byBody, byHeader]) {
      const token = await wrapData({ a: 1 });
      expect((await send(token)).data).toEqual({ a: 1 });
      expect(await byBody(token)).toMatchObject(refused);
      expect(await byHeader(token)).toMatchObject(refused);
    }
  });

  test.each([
    ['in the body', () => true],
    ['as the caller', () => false],
    ['in both ways', (n: number) => n % 4 < 2],
  ])('is taken by one of a hundred concurrent requests to two processes that send it %s', async (_way, inBody) => {
    const token = await wrapData({ a: 1 });
    const addresses = [service.address, other.address];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => {
        const address = addresses[n % 2] ?? '';
        const path = 'sys/wrapping/unwrap';
        const asCaller = { address, token, method: 'POST', path };
        return ask(inBody(n) ? { ...asCaller, token: service.rootToken, body: { token } } : asCaller);
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(99);
  });

  test('is looked up without being used, with and without another token', async () => {
    const token = await wrapData({ a: 1 }, '90s');
    const shown = { creation_ttl: 90, creation_path: 'sys/wrapping/wrap', creation_time: expect.stringContaining('T') };
    expect((await service.ask('POST', 'sys/wrapping/lookup', { token }, withToken(undefined))).data).toEqual(shown);
    expect((await service.ask('POST', 'sys/wrapping/lookup', { token }, withToken(token))).data).toEqual(shown);
    expect((await service.ask('GET', 'sys/wrapping/lookup', undefined, withToken(token))).data).toEqual(shown);
    expect((await byBody(token)).status).toBe(200);
    expect(await service.ask('POST', 'sys/wrapping/lookup', { token })).toMatchObject(refused);
  });

  test('is replaced by a new one for the same time', async () => {
    const token = await wrapData({ a: 1 }, '90s');
    const rewrapped = await service.ask('POST', 'sys/wrapping/rewrap', { token });
    expect(infoOf(rewrapped)).toMatchObject({ ttl: 90, creation_path: 'sys/wrapping/wrap' });
    expect(await byBody(token)).toMatchObject(refused);
    const again = await service.ask('POST', 'sys/wrapping/rewrap', undefined, {
      headers: { 'x-service-token': tokenIn(rewrapped), 'x-vault-wrap-ttl': '5' },
    });
    expect(infoOf(again)).toMatchObject({ ttl: 90 });
    expect((await byBody(tokenIn(again))).data).toEqual({ a: 1 });
  });

  test('expires', async () => {
    const token = await wrapData({ a: 1 });
    await sql`update tokens set expire_at = now() - interval '1 second' where 'response-wrapping' = any(policies)`.execute(
      service.store.db,
    );
    expect(await byBody(token)).toMatchObject(refused);
    expect(await byHeader(token)).toMatchObject(refused);
    expect(await service.ask('POST', 'sys/wrapping/lookup', { token })).toMatchObject(refused);
  });

  test('is used up by any other request', async () => {
    const token = await wrapData({ a: 1 });
    await service.ask('GET', 'auth/token/lookup-self', undefined, withToken(token));
    expect(await byBody(token)).toMatchObject(refused);
  });

  test('takes its own reply and no other', async () => {
    expect(await byBody(service.rootToken)).toMatchObject(refused);
    expect(await byBody('hvs.unknown')).toMatchObject(refused);
    expect(await service.ask('POST', 'sys/wrapping/unwrap', {})).toMatchObject(refused);
    expect((await service.ask('GET', 'sys/health')).status).toBe(200);
  });

  test('can be named only by an authorised caller', async () => {
    const token = await wrapData({ a: 1 });
    const made = await service.ask('POST', 'auth/token/create', { policies: ['nothing'], no_default_policy: true });
    const weak = String(Object(made.body['auth'])['client_token']);
    for (const own of [undefined, 'hvs.wrong', weak]) {
      const answer = await service.ask('POST', 'sys/wrapping/unwrap', { token }, withToken(own));
      expect([own, answer.status]).toEqual([own, 403]);
    }
    expect((await service.ask('POST', 'sys/wrapping/unwrap', {}, withToken(undefined))).status).toBe(403);
    expect((await byBody(token)).status).toBe(200);
  });
});

test.each([
  ['sys/wrapping/wrap', { a: 1 }, 'endpoint requires response wrapping to be used'],
  ['sys/wrapping/unwrap', { token: { a: 1 } }, 'token'],
  ['sys/wrapping/rewrap', { token: ['x'] }, 'token'],
  ['sys/wrapping/lookup', { token: 'x'.repeat(5_000) }, 'at most 4096 characters'],
  ['sys/wrapping/lookup', { token: 'hvs.a\0b' }, 'wrapping token is not valid'],
])('%s with %.40j is a bad request', async (path, body, text) => {
  const answer = await service.ask('POST', path, body);
  expect(answer.status).toBe(400);
  expect(answer.errors.join()).toContain(text);
});

const byBody = (token: string) => service.ask('POST', 'sys/wrapping/unwrap', { token });
const byHeader = (token: string) => service.ask('PUT', 'sys/wrapping/unwrap', undefined, withToken(token));

describe('clients from before unwrap', () => {
  const read = (token: string) => service.ask('GET', 'cubbyhole/response', undefined, withToken(token));

  test('read the reply as a text in the cubbyhole of its token, once', async () => {
    const token = await wrapData({ a: 'b' });
    const { response } = (await read(token)).data;
    expect(JSON.parse(String(response))).toMatchObject({ data: { a: 'b' } });
    expect((await read(token)).status).toBe(403);
    expect((await service.ask('POST', 'sys/wrapping/unwrap', { token })).status).toBe(400);
  });

  test('one of a hundred gets it, over all ways and processes', async () => {
    const token = await wrapData({ a: 'b' });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => {
        const address = at % 2 === 0 ? service.address : other.address;
        if (at % 4 < 2) return ask({ address, token, method: 'GET', path: 'cubbyhole/response' });
        return ask({ address, token, method: 'PUT', path: 'sys/wrapping/unwrap' });
      }),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
    expect(answers.filter(({ status }) => status !== 200 && status !== 403 && status !== 400)).toEqual([]);
  });

  test('find nothing with an ordinary token', async () => {
    expect((await service.ask('GET', 'cubbyhole/response')).status).toBe(404);
    await service.ask('POST', 'cubbyhole/response', { response: 'own' });
    expect((await service.ask('GET', 'cubbyhole/response')).data).toEqual({ response: 'own' });
  });
});
