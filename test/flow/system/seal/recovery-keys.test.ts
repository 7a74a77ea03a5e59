import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { shamirService } from '#test/support/flow/shamir.ts';

const sealKey = randomBytes(32).toString('hex');
const automatic = { KEYFERRY_SEAL_KEY: sealKey };

/** Removes the one-time pad, as a client does. */
const decoded = (encoded: unknown, otp: unknown): string => {
  const pad = Buffer.from(String(otp));
  return Buffer.from(Buffer.from(String(encoded), 'base64').map((byte, index) => byte ^ (pad[index] ?? 0))).toString();
};

describe('the automatic seal with recovery keys', () => {
  const service = shamirService(automatic, { recovery_shares: 3, recovery_threshold: 2 });
  const { ask } = service;
  const ceremony = (folder: string) => ({
    begin: (body: object = {}) => ask(0, 'PUT', `sys/${folder}`, body),
    give: (nonce: unknown, key: string | undefined, process = 0) =>
      ask(process, 'PUT', `sys/${folder.replace(/\w+$/, 'update')}`, { key, nonce }),
    end: () => ask(0, 'DELETE', `sys/${folder}`),
  });
  const root = ceremony('generate-root/attempt');
  const rekey = ceremony('rekey-recovery-key/init');

  test('returns them once, says how many there are, and unseals without them', async () => {
    expect(service.keys).toHaveLength(3);
    expect(service.keys.map((key) => key.length)).toEqual([66, 66, 66]);
    for (const process of [0, 1]) {
      await eventually(async () => (await ask(process, 'GET', 'sys/seal-status')).body['n'] === 3);
      expect((await ask(process, 'GET', 'sys/seal-status')).body).toMatchObject({
        type: 'static',
        sealed: false,
        recovery_seal: true,
        recovery_seal_type: 'shamir',
        t: 2,
        n: 3,
      });
    }
  });

  test('creates a root token for their quorum, at any process, and not for the key of the seal', async () => {
    const { nonce, otp, required } = (await root.begin()).body;
    expect(required).toBe(2);
    expect((await root.give(nonce, sealKey)).status).toBe(400);
    expect((await root.give(nonce, service.keys[0])).body).toMatchObject({ progress: 1, complete: false });
    const twice = await root.give(nonce, service.keys[0], 1);
    expect(twice).toMatchObject({ status: 400, errors: [expect.stringContaining('already been provided')] });
    const { body } = await root.give(nonce, service.keys[2], 1);
    expect(body).toMatchObject({ complete: true });
    const token = decoded(body['encoded_token'], otp);
    expect((await ask(0, 'GET', 'auth/token/lookup-self', undefined, token)).data).toMatchObject({
      policies: ['root'],
    });
  });

  test('replaces them by their quorum, with verification, and the old ones are valid until then', async () => {
    const old = [...service.keys];
    const begun = await rekey.begin({ secret_shares: 5, secret_threshold: 3, require_verification: true });
    expect(begun.body).toMatchObject({ started: true, t: 3, n: 5, required: 2, verification_required: true });
    const { nonce } = begun.body;
    expect((await rekey.give(nonce, old[0])).body).toMatchObject({ progress: 1 });
    expect((await rekey.give(nonce, old[0])).status).toBe(400);
    const done = await rekey.give(nonce, old[1], 1);
    expect(done.body).toMatchObject({ complete: true, verification_required: true });
    const fresh = done.body['keys'] as string[];
    const verify = (key: string | undefined) =>
      ask(1, 'PUT', 'sys/rekey-recovery-key/verify', { key, nonce: done.body['verification_nonce'] });
    expect((await ask(0, 'GET', 'sys/generate-root/attempt')).body).toMatchObject({ required: 2 });
    await verify(fresh[0]);
    expect((await verify(fresh[0])).errors.join()).toContain('already been provided');
    await verify(fresh[1]);
    expect((await verify(fresh[2])).body).toMatchObject({ complete: true });
    service.keys = fresh;
    expect((await ask(0, 'GET', 'sys/generate-root/attempt')).body).toMatchObject({ required: 3 });
    await eventually(async () => (await ask(0, 'GET', 'sys/seal-status')).body['n'] === 5);
    const attempt = (await root.begin()).body['nonce'];
    for (const key of old) await root.give(attempt, key);
    expect((await ask(0, 'GET', 'sys/generate-root/attempt')).body).toMatchObject({ progress: 0 });
    expect((await root.end()).status).toBe(204);
  });

  test('does not accept them as key shares, and keeps no copies', async () => {
    const sent = { secret_shares: 3, secret_threshold: 2 };
    expect((await ask(0, 'PUT', 'sys/rekey/init', sent)).errors[0]).toContain('rekey-recovery-key');
    expect((await ask(0, 'PUT', 'sys/unseal', { key: service.keys[0] })).status).toBe(200);
    expect((await ask(0, 'GET', 'sys/rekey/recovery-key-backup', undefined, service.rootToken)).status).toBe(400);
    expect((await rekey.begin({ ...sent, pgp_keys: ['key'] })).errors[0]).toContain('pgp_keys');
  });
});

describe('the automatic seal without recovery keys', () => {
  const service = serviceOf([]);
  const give = (folder: string, nonce: unknown, key: unknown) =>
    service.ask('PUT', `sys/${folder}/update`, { nonce, key });

  test('creates the first ones for the key of the seal, which is no longer accepted from then on', async () => {
    expect((await service.ask('GET', 'sys/seal-status')).body).toMatchObject({ t: 0, n: 0, recovery_seal: true });
    const begun = await service.ask('PUT', 'sys/rekey-recovery-key/init', { secret_shares: 3, secret_threshold: 2 });
    expect(begun.body).toMatchObject({ required: 1 });
    const { nonce } = begun.body;
    expect((await give('rekey-recovery-key', nonce, '00'.repeat(32))).status).toBe(400);
    const key = service.config.KEYFERRY_SEAL_KEY;
    const { body } = await give('rekey-recovery-key', nonce, key);
    expect(body['keys']).toHaveLength(3);
    const attempt = (await service.ask('PUT', 'sys/generate-root/attempt', {})).body;
    expect(attempt['required']).toBe(2);
    expect((await give('generate-root', attempt['nonce'], key)).status).toBe(400);
    const [first, second] = body['keys'] as string[];
    await give('generate-root', attempt['nonce'], first);
    expect((await give('generate-root', attempt['nonce'], second)).body).toMatchObject({ complete: true });
  });

  test('keeps the recovery key sealed', async () => {
    const { rows } = await sql<{ recovery_key: Buffer }>`select recovery_key from seal`.execute(service.store.db);
    // Header, nonce and tag in addition to the 32 bytes.
    expect(rows[0]?.recovery_key.length).toBeGreaterThan(32);
  });
});

describe('recovery keys at sys/init', () => {
  const fresh = shamirService(automatic, 'not-yet');

  test.each([
    [{ recovery_shares: 1, recovery_threshold: 2 }, 'recovery_threshold must not be greater than recovery_shares'],
    [{ recovery_shares: 256, recovery_threshold: 2 }, 'recovery_shares must be at most 255'],
    [{ recovery_shares: 3 }, 'recovery_threshold must be at least 1'],
    [{ recovery_shares: 1, recovery_threshold: 1, recovery_pgp_keys: ['key'] }, 'pgp_keys'],
    [{ secret_shares: 3, secret_threshold: 2 }, 'secret_shares, secret_threshold not applicable to seal type static'],
  ])('%j is refused, and nothing is initialised', async (body, text) => {
    const answer = await fresh.ask(1, 'PUT', 'sys/init', body);
    expect([answer.status, answer.errors.join()]).toEqual([400, expect.stringContaining(text)]);
    expect((await fresh.ask(0, 'GET', 'sys/init')).body).toEqual({ initialized: false });
  });

  test('a single one is the key itself', async () => {
    const { status, body } = await fresh.ask(0, 'PUT', 'sys/init', { recovery_shares: 1, recovery_threshold: 1 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ keys: [], recovery_keys: [expect.stringMatching(/^[\da-f]{64}$/)] });
  });
});

describe('with key shares', () => {
  const uninitialised = shamirService({}, 'not-yet');

  test('recovery keys are refused, and there are none to replace', async () => {
    const asked = { secret_shares: 1, secret_threshold: 1, recovery_shares: 3, recovery_threshold: 2 };
    const answer = await uninitialised.ask(0, 'PUT', 'sys/init', asked);
    expect([answer.status, answer.errors[0]]).toEqual([
      400,
      expect.stringContaining('recovery_shares, recovery_threshold not applicable to seal type shamir'),
    ]);
    const { body } = await uninitialised.ask(0, 'PUT', 'sys/init', { secret_shares: 1, secret_threshold: 1 });
    const [key] = body['keys'] as string[];
    await uninitialised.ask(0, 'PUT', 'sys/unseal', { key });
    const rekey = await uninitialised.ask(0, 'PUT', 'sys/rekey-recovery-key/init', {
      secret_shares: 1,
      secret_threshold: 1,
    });
    expect([rekey.status, rekey.errors[0]]).toEqual([
      400,
      expect.stringContaining('recovery keys belong to the automatic seal'),
    ]);
  });
});
