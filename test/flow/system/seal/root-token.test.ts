import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { shamirService } from '#test/support/flow/shamir.ts';

const service = shamirService();
const { ask } = service;
const begin = (body: object = {}) => ask(0, 'PUT', 'sys/generate-root/attempt', body);
const give = (process: number, nonce: unknown, key: string | undefined) =>
  ask(process, 'PUT', 'sys/generate-root/update', { key, nonce });

/** Removes the one-time pad, as a client does. */
function decoded(encoded: unknown, otp: unknown): string {
  const pad = Buffer.from(String(otp));
  return Buffer.from(Buffer.from(String(encoded), 'base64').map((byte, index) => byte ^ (pad[index] ?? 0))).toString();
}

test('shares given to two processes create a root token, which only the pad reveals', async () => {
  expect((await ask(1, 'GET', 'sys/generate-root/attempt')).body).toMatchObject({ started: false, required: 2 });
  const { otp, nonce, ...begun } = (await begin()).body;
  expect(begun).toMatchObject({ started: true, progress: 0, required: 2, complete: false, otp_length: 28 });
  expect(String(otp)).toHaveLength(28);
  expect((await begin()).errors).toEqual(['root generation already in progress']);
  expect((await ask(1, 'GET', 'sys/generate-root/attempt')).body).toMatchObject({ nonce, otp: '' });

  expect((await give(0, nonce, service.keys[0])).body).toMatchObject({
    progress: 1,
    complete: false,
    encoded_token: '',
  });
  await service.restart();
  await service.unseal();
  const { body } = await give(1, nonce, service.keys[2]);
  expect(body).toMatchObject({ complete: true, progress: 2, nonce, encoded_root_token: body['encoded_token'] });
  expect(String(body['encoded_token'])).toMatch(/^[A-Za-z0-9+/]+$/);
  const token = decoded(body['encoded_token'], otp);
  expect(token).toMatch(/^hvs\.\w{24}$/);
  expect((await ask(0, 'GET', 'auth/token/lookup-self', undefined, token)).data).toMatchObject({ policies: ['root'] });
  const sent = { encoded_token: body['encoded_token'], otp };
  expect((await ask(0, 'PUT', 'sys/decode-token', sent)).data).toEqual({ token });
  expect((await ask(0, 'GET', 'sys/generate-root/attempt')).body).toMatchObject({ started: false, progress: 0 });
});

test('a pad of the caller is used and not shown', async () => {
  const otp = 'x'.repeat(28);
  const { body } = await begin({ otp });
  expect(body).toMatchObject({ otp: '', started: true });
  await give(0, body['nonce'], service.keys[0]);
  const { encoded_token } = (await give(0, body['nonce'], service.keys[1])).body;
  expect(decoded(encoded_token, otp)).toMatch(/^hvs\./);
});

test('wrong shares are dropped without a token, and a cancellation ends the attempt', async () => {
  const { nonce } = (await begin()).body;
  await give(0, nonce, '01'.repeat(33));
  expect((await give(1, nonce, service.keys[1])).errors[0]).toMatch(/do not belong to this service/);
  expect((await ask(0, 'GET', 'sys/generate-root/attempt')).body).toMatchObject({ progress: 0 });
  expect((await ask(1, 'DELETE', 'sys/generate-root/attempt')).status).toBe(204);
  expect((await give(0, nonce, service.keys[0])).errors).toEqual(['no root generation in progress']);
});

test('one attempt creates one token, even with concurrent requests', async () => {
  const { nonce } = (await begin()).body;
  const given = await Promise.all(
    Array.from({ length: 40 }, (_, index) => give(index % 2, nonce, service.keys[index % 4 < 2 ? 0 : 1])),
  );
  expect(given.filter(({ body }) => body['complete'] === true)).toHaveLength(1);
  expect(given.filter(({ status }) => ![200, 400].includes(status))).toEqual([]);
});

test.each([
  [{ otp: 'short' }, 'OTP string is wrong length'],
  [{ otp: 'é'.repeat(28) }, 'OTP string is wrong length'],
  [{ otp: ['x'] }, 'otp'],
  [{ pgp_key: 'key' }, 'pgp_key is not supported'],
])('an attempt with %j is refused', async (sent, text) => {
  const answer = await begin(sent);
  expect([answer.status, answer.errors.join()]).toEqual([400, expect.stringContaining(text)]);
});

test.each([
  [{}, 'missing encoded token'],
  [{ encoded_token: 'AAAA' }, 'missing otp'],
  [{ encoded_token: '?', otp: 'x' }, 'not base64'],
  [{ encoded_token: 'AAAA', otp: 'x' }, 'lengths of the otp'],
])('decoding %j is refused', async (sent, text) => {
  const answer = await ask(0, 'PUT', 'sys/decode-token', sent);
  expect([answer.status, answer.errors.join()]).toEqual([400, expect.stringContaining(text)]);
});

describe('with the automatic seal', () => {
  const automatic = serviceOf([], { KEYFERRY_KEY_ATTEMPTS_NEED_TOKEN: 'true' });
  const anonymous = { headers: { 'x-service-token': undefined } };

  test('the key of the seal is the only share', async () => {
    const { nonce, otp, required } = (await automatic.ask('PUT', 'sys/generate-root/attempt', {})).body;
    expect(required).toBe(1);
    const wrong = await automatic.ask('PUT', 'sys/generate-root/update', { nonce, key: '00'.repeat(32) });
    expect(wrong.status).toBe(400);
    const key = automatic.config.KEYFERRY_SEAL_KEY;
    const { body } = await automatic.ask('PUT', 'sys/generate-root/update', { nonce, key });
    expect(decoded(body['encoded_token'], otp)).toMatch(/^hvs\./);
  });

  test('there are no shares to replace', async () => {
    const answer = await automatic.ask('PUT', 'sys/rekey/init', { secret_shares: 3, secret_threshold: 2 });
    expect([answer.status, answer.errors[0]]).toEqual([400, expect.stringMatching(/the automatic seal does not have/)]);
  });

  test('attempts need a token where that is set', async () => {
    for (const path of ['sys/generate-root/attempt', 'sys/rekey/init'])
      expect((await automatic.ask('GET', path, undefined, anonymous)).status).toBe(403);
    await automatic.ask('PUT', 'sys/policies/acl/all', { policy: 'path "*" { capabilities = ["read", "update"] }' });
    const made = await automatic.ask('POST', 'auth/token/create', { policies: ['all'] });
    const token = (made.body['auth'] as { client_token: string }).client_token;
    const headers = { 'x-service-token': token };
    expect((await automatic.ask('GET', 'sys/rekey/init', undefined, { headers })).status).toBe(403);
  });
});
