import { expect, test } from 'vitest';
import { eventually } from '#test/support/flow/open-service.ts';
import { shamirService } from '#test/support/flow/shamir.ts';

const service = shamirService();
const { ask } = service;
const begin = (body: object = {}) =>
  ask(0, 'PUT', 'sys/rekey/init', { secret_shares: 3, secret_threshold: 2, ...body });
const give = (process: number, nonce: unknown, key: string | undefined) =>
  ask(process, 'PUT', 'sys/rekey/update', { key, nonce });
const shares = () => [...service.keys] as [string, string, string];

test('has not started at first, and says how many shares it would need', async () => {
  const idle = { started: false, nonce: '', t: 0, n: 0, progress: 0, required: 2, verification_required: false };
  expect((await ask(1, 'GET', 'sys/rekey/init')).body).toMatchObject(idle);
  expect(await ask(0, 'PUT', 'sys/rekey/update', { key: shares()[0], nonce: 'x' })).toMatchObject({
    status: 400,
    errors: ['no rekey in progress'],
  });
  expect((await ask(0, 'GET', 'sys/rekey/verify')).status).toBe(400);
  expect((await ask(0, 'DELETE', 'sys/rekey/init')).status).toBe(204);
});

test('accepts shares at any process, even after a restart, and the new ones become valid everywhere', async () => {
  const old = shares();
  const { body } = await begin({ secret_shares: 4, secret_threshold: 3 });
  expect(body).toMatchObject({ started: true, t: 3, n: 4, progress: 0, required: 2 });
  expect((await begin()).errors).toEqual(['rekey already in progress']);
  expect((await give(0, body['nonce'], old[0])).body).toMatchObject({ started: true, progress: 1 });
  expect(await give(1, body['nonce'], old[0])).toMatchObject({
    status: 400,
    errors: [expect.stringContaining('given key has already been provided')],
  });

  await service.restart();
  await service.unseal();
  expect((await ask(1, 'GET', 'sys/rekey/init')).body).toMatchObject({ nonce: body['nonce'], progress: 1 });
  const done = await give(1, body['nonce'], old[2]);
  expect(done.body).toMatchObject({ complete: true, nonce: body['nonce'], keys: expect.any(Array) });
  service.keys = done.body['keys'] as string[];
  expect(service.keys).toHaveLength(4);
  expect(done.body['keys_base64']).toEqual(service.keys.map((key) => Buffer.from(key, 'hex').toString('base64')));

  // The other process reads the row of the seal periodically.
  const status = async (process: number) => (await ask(process, 'GET', 'sys/seal-status')).body;
  await eventually(async () => (await status(0))['n'] === 4);
  await service.restart();
  for (const key of old) await ask(0, 'PUT', 'sys/unseal', { key });
  expect(await status(0)).toMatchObject({ sealed: true, t: 3, n: 4 });
  await ask(0, 'PUT', 'sys/unseal', { reset: true });
  await service.unseal();
  expect([await status(0), await status(1)]).toMatchObject([{ sealed: false }, { sealed: false }]);
  expect((await ask(0, 'GET', 'secret/none', undefined, service.rootToken)).status).toBe(404);
});

test('with verification the old shares stay valid until the new ones have been verified', async () => {
  const { body } = await begin({ secret_shares: 2, secret_threshold: 2, require_verification: true });
  const old = shares();
  for (const key of old.slice(0, 2)) await give(0, body['nonce'], key);
  const out = (await give(1, body['nonce'], old[2])).body;
  const fresh = out['keys'] as string[];
  expect(out).toMatchObject({ complete: true, verification_required: true, verification_nonce: expect.any(String) });
  expect((await ask(0, 'GET', 'sys/seal-status')).body).toMatchObject({ t: 3, n: 4 });
  expect((await ask(0, 'GET', 'sys/rekey/init')).body).toMatchObject({
    started: true,
    verification_nonce: out['verification_nonce'],
  });
  expect((await give(0, body['nonce'], old[0])).status).toBe(400);

  const verify = (process: number, nonce: unknown, key: string | undefined) =>
    ask(process, 'PUT', 'sys/rekey/verify', { key, nonce });
  expect((await verify(0, out['verification_nonce'], fresh[0])).body).toMatchObject({ progress: 1, t: 2, n: 2 });
  expect((await verify(1, out['verification_nonce'], old[0])).errors[0]).toMatch(/not the new ones/);
  expect((await ask(1, 'GET', 'sys/rekey/verify')).body).toMatchObject({ progress: 0 });
  const { nonce } = (await ask(1, 'DELETE', 'sys/rekey/verify')).body;
  expect(nonce).not.toBe(out['verification_nonce']);
  expect((await verify(0, out['verification_nonce'], fresh[0])).status).toBe(400);
  await verify(0, nonce, fresh[0]);
  expect((await verify(1, nonce, fresh[1])).body).toEqual({ complete: true, nonce });
  service.keys = fresh;
  await service.restart();
  await service.unseal();
  expect((await ask(1, 'GET', 'sys/seal-status')).body).toMatchObject({ sealed: false, t: 2, n: 2 });
});

test('wrong shares are dropped and change nothing', async () => {
  const { body } = await begin();
  const wrong = (fill: string) => fill.repeat(33);
  await give(0, body['nonce'], wrong('01'));
  expect((await give(1, body['nonce'], wrong('02'))).errors[0]).toMatch(/do not belong to this service/);
  expect((await ask(0, 'GET', 'sys/rekey/init')).body).toMatchObject({ progress: 0, nonce: body['nonce'] });
  expect((await give(0, 'other', shares()[0])).errors[0]).toMatch(/^incorrect nonce supplied/);
  expect((await ask(1, 'DELETE', 'sys/rekey/init')).status).toBe(204);
  expect((await ask(0, 'GET', 'sys/rekey/init')).body).toMatchObject({ started: false });
});

test('concurrently entered shares count once each, and one attempt returns one set of new shares', async () => {
  const { body } = await begin();
  const given = await Promise.all(
    Array.from({ length: 40 }, (_, index) => give(index % 2, body['nonce'], service.keys[index % 4 < 2 ? 0 : 1])),
  );
  const complete = given.filter((one) => one.body['complete'] === true);
  expect(complete).toHaveLength(1);
  expect(given.filter(({ status }) => ![200, 400].includes(status))).toEqual([]);
  service.keys = complete[0]?.body['keys'] as string[];
});

test.each([
  [{ secret_shares: 2, secret_threshold: 3 }, 'invalid seal configuration: secret_threshold must not be greater'],
  [{ secret_shares: 'x' }, 'secret_shares'],
  [{ secret_shares: null, secret_threshold: null }, 'secret_shares must be at least 1'],
  [{ secret_shares: 1e9 }, 'secret_shares must be at most 255'],
  [{ pgp_keys: ['key'] }, 'pgp_keys is not supported'],
  [{ backup: true }, 'backup is not supported'],
])('%j is refused', async (sent, text) => {
  const answer = await begin(sent);
  expect([answer.status, answer.errors.join()]).toEqual([400, expect.stringContaining(text)]);
  expect((await ask(0, 'GET', 'sys/rekey/init')).body).toMatchObject({ started: false });
});

test.each([
  [{}, "'key' must be specified in request body as JSON"],
  [{ key: '' }, "'key' must be specified in request body as JSON"],
  [{ key: 'abcd' }, "'nonce' must be specified in request body as JSON"],
  [{ key: { a: 1 }, nonce: 'x' }, 'key'],
  [{ key: 'a'.repeat(2_000), nonce: 'x' }, 'at most'],
])('a share sent as %j is refused', async (sent, text) => {
  for (const path of ['sys/rekey/update', 'sys/rekey/verify', 'sys/generate-root/update']) {
    const answer = await ask(0, 'PUT', path, sent);
    expect([path, answer.status, answer.errors.join()]).toEqual([path, 400, expect.stringContaining(text)]);
  }
});

test('keeps no copies of shares', async () => {
  const kept = await ask(0, 'GET', 'sys/rekey/backup', undefined, service.rootToken);
  expect([kept.status, kept.errors]).toEqual([400, ['no backed-up keys found']]);
  expect((await ask(0, 'DELETE', 'sys/rekey/backup', undefined, service.rootToken)).status).toBe(204);
});

test('is refused while the service is sealed', async () => {
  await ask(1, 'PUT', 'sys/seal', {}, service.rootToken);
  for (const process of [0, 1])
    await eventually(async () => (await ask(process, 'GET', 'sys/rekey/init')).status === 503);
  await service.unseal();
});
