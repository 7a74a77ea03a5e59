import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { Secret } from '#core/secret.ts';
import type { Row } from '#path/contract/row.ts';
import { methodTypeNames, wordName } from '#path/vocabulary.ts';
import { type OpenStore, openStore, type StoreOptions } from '#store/open.ts';
import { sealRows } from '#system/seal/index.ts';
import { heldClock } from '../store/clocks.ts';
import { storeOptions } from '../store/stores.ts';
import { ending, testDatabase } from '../support/services.ts';
import { call } from './calling.ts';

async function start(changes: Partial<StoreOptions> = {}): Promise<{ store: OpenStore; rows: readonly Row[] }> {
  const store = ending(await openStore(storeOptions(await testDatabase(), changes)));
  const rows = sealRows({
    seal: store.seal,
    reachable: store.reachable,
    mintRootToken: async () => `token-${store.barrier.mac('token', 'root').length}`,
    lent() {},
    clock: heldClock(),
  });
  return { store, rows };
}

const staticSeal = () => ({ key: new Secret(randomBytes(32).toString('hex')) });

/** The reply of an initialisation, as a client reads it. */
async function init(rows: readonly Row[], shares = 3, threshold = 2): Promise<Record<string, unknown>> {
  const reply = await call(rows, 'write', 'init', { secret_shares: shares, secret_threshold: threshold });
  return { ...reply?.body };
}

/** The automatic seal has no key shares. */
const initAutomatic = (rows: readonly Row[]) => call(rows, 'write', 'init');

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const isBadRequest = (message: string) => expect.objectContaining({ kind: 'bad-request', message });

describe('sys/init', () => {
  test('returns the keys in hex and base64 and the root token, once', async () => {
    const { rows } = await start();
    expect(await call(rows, 'read', 'init')).toEqual({ body: { initialized: false } });
    const body = await init(rows);
    expect(Object.keys(body)).toEqual(['keys', 'keys_base64', 'root_token']);
    expect(texts(body['keys']).map((key) => key.length)).toEqual([66, 66, 66]);
    expect(texts(body['keys_base64']).map((key) => Buffer.from(key, 'base64').toString('hex'))).toEqual(body['keys']);
    expect(body['root_token']).toBe('token-32');
    expect(await call(rows, 'read', 'init')).toEqual({ body: { initialized: true } });
    await expect(init(rows)).rejects.toThrow(isBadRequest('the service is already initialized'));
  });

  test('refuses an invalid rule, a missing one, and requests for encrypted keys', async () => {
    const { rows } = await start();
    await expect(init(rows, 2, 3)).rejects.toThrow(/invalid seal configuration: /);
    await expect(call(rows, 'write', 'init')).rejects.toThrow(/secret_shares must be at least 1/);
    const encrypted = { secret_shares: 1, secret_threshold: 1, pgp_keys: ['key'] };
    await expect(call(rows, 'write', 'init', encrypted)).rejects.toThrow(/pgp_keys.*not supported/);
    expect(await call(rows, 'read', 'init')).toEqual({ body: { initialized: false } });
  });

  test('with the automatic seal returns the root token, and recovery keys on request', async () => {
    const { rows, store } = await start({ seal: staticSeal() });
    const reply = await call(rows, 'write', 'init', { recovery_shares: 5, recovery_threshold: 3, secret_shares: null });
    const [hex, base64] = [expect.stringMatching(/^[\da-f]{66}$/), expect.any(String)];
    const keys = { recovery_keys: Array(5).fill(hex), recovery_keys_base64: Array(5).fill(base64) };
    expect(reply).toEqual({ body: { keys: [], keys_base64: [], ...keys, root_token: 'token-32' } });
    expect(store.seal.state()).toBe('ready');
    const without = await start({ seal: staticSeal() });
    expect(await call(without.rows, 'write', 'init')).toMatchObject({
      body: { keys: [], recovery_keys: [], recovery_keys_base64: [] },
    });
  });

  test.each([
    [{ secret_shares: 5, secret_threshold: 3 }, 'secret_shares, secret_threshold not applicable'],
    [{ secret_threshold: 3 }, 'secret_threshold not applicable'],
  ])('with the automatic seal refuses %o, because there would be no shares', async (sent, message) => {
    const { rows } = await start({ seal: staticSeal() });
    await expect(call(rows, 'write', 'init', sent)).rejects.toMatchObject({
      kind: 'bad-request',
      message: expect.stringMatching(new RegExp(`^${message}.*omit secret_shares and secret_threshold, or`)),
    });
    expect(await call(rows, 'read', 'init')).toEqual({ body: { initialized: false } });
    await call(rows, 'write', 'init', { secret_shares: 0, secret_threshold: 0, stored_shares: 0 });
    await expect(call(rows, 'write', 'init', sent)).rejects.toThrow(isBadRequest('the service is already initialized'));
  });

  test('notices the initialisation by another process', async () => {
    const url = await testDatabase();
    const [one, two] = await Promise.all([openStore(storeOptions(url)), openStore(storeOptions(url))]);
    ending(one);
    ending(two);
    const parts = {
      seal: two.seal,
      reachable: two.reachable,
      mintRootToken: async () => 'token',
      clock: heldClock(),
      lent() {},
    };
    await one.seal.init({ shares: 1, threshold: 1 }, async () => undefined);
    expect(await call(sealRows(parts), 'read', 'init')).toEqual({ body: { initialized: true } });
  });
});

describe('sys/unseal and sys/seal', () => {
  test('each share, in hex or in base64, gets the state of the seal', async () => {
    const { rows } = await start();
    const body = await init(rows);
    const [hex] = texts(body['keys']);
    const [, base64] = texts(body['keys_base64']);
    const first = await call(rows, 'write', 'unseal', { key: hex });
    expect(first?.body).toMatchObject({ sealed: true, progress: 1, t: 2, n: 3, nonce: expect.stringMatching(/-/) });
    const second = await call(rows, 'write', 'unseal', { key: base64, reset: false, migrate: false });
    expect(second?.body).toMatchObject({ sealed: false, progress: 0, nonce: '' });
    const again = await call(rows, 'write', 'unseal', { key: hex });
    expect(again?.body).toMatchObject({ sealed: false });
    await expect(call(rows, 'write', 'unseal', { reset: true })).rejects.toThrow(
      isBadRequest('the service is unsealed'),
    );
  });

  test('a malformed key is refused by an unsealed process too', async () => {
    const { rows } = await start();
    const [first, second] = texts((await init(rows))['keys']);
    await call(rows, 'write', 'unseal', { key: first });
    await call(rows, 'write', 'unseal', { key: second });
    const unseal = (key: string) => call(rows, 'write', 'unseal', { key });
    await expect(unseal('no key!')).rejects.toThrow(/valid hex or base64/);
    await expect(unseal('abcdef')).rejects.toThrow(isBadRequest("'key' must be 33 bytes long, this one has 3"));
    expect((await unseal(randomBytes(33).toString('hex')))?.body).toMatchObject({ sealed: false });
  });

  test('texts about the state use the product name that the client knows', async () => {
    const textOf = async (refused: Promise<unknown>) => {
      const error = await refused.catch((reason: unknown) => reason);
      return error instanceof AppError && error.messagesIn((word) => wordName(methodTypeNames, word, 'alias'));
    };
    const { rows } = await start();
    const key = randomBytes(33).toString('hex');
    expect(await textOf(call(rows, 'write', 'unseal', { key }))).toEqual(['Vault is not initialized']);
    const keys = texts((await init(rows))['keys']);
    expect(await textOf(init(rows))).toEqual(['Vault is already initialized']);
    for (const share of keys.slice(0, 2)) await call(rows, 'write', 'unseal', { key: share });
    expect(await textOf(call(rows, 'write', 'unseal', { reset: true }))).toEqual(['vault is unsealed']);
  });

  test('reset discards the progress', async () => {
    const { rows } = await start();
    const [hex] = texts((await init(rows))['keys']);
    await call(rows, 'write', 'unseal', { key: hex });
    expect((await call(rows, 'write', 'unseal', { reset: true }))?.body).toMatchObject({ progress: 0, nonce: '' });
  });

  test.each([
    [{}, "'key' must be specified in request body as JSON, or 'reset' set to true"],
    [{ key: '' }, "'key' must be specified in request body as JSON, or 'reset' set to true"],
    [{ key: 'no key!' }, "'key' must be a valid hex or base64 string"],
    [{ key: 'abcdef' }, "'key' must be 33 bytes long, this one has 3"],
    [{ migrate: true }, "'key' must be specified in request body as JSON, or 'reset' set to true"],
    [
      { key: Buffer.alloc(33).toString('hex'), migrate: true },
      'there is nothing to migrate: the store already has the configured seal, or the key of its seal is not configured as the former one',
    ],
  ])('%o is refused', async (sent, message) => {
    const { rows } = await start();
    await init(rows);
    await expect(call(rows, 'write', 'unseal', sent)).rejects.toThrow(isBadRequest(message));
  });

  test('seal has an empty reply, even if it is sealed already', async () => {
    const { rows, store } = await start({ seal: staticSeal() });
    await initAutomatic(rows);
    expect(await call(rows, 'write', 'seal')).toBeUndefined();
    expect(store.seal.state()).toBe('sealed');
    expect(await call(rows, 'write', 'seal')).toBeUndefined();
  });

  test('seal needs sudo, the operations before a login need no token, and all of them work while sealed', async () => {
    const { rows } = await start();
    const marks = Object.fromEntries(
      rows.flatMap((row) => Object.entries(row.operations).map(([verb, op]) => [`${verb} ${row.pattern}`, op.marks])),
    );
    const open = { replies: { 200: 'own' }, unauthenticated: true, whileSealed: true };
    const rootNamespaceOnly = true;
    expect(marks).toEqual({
      'read init': open,
      'write init': { ...open, rootNamespaceOnly },
      'write unseal': { ...open, rootNamespaceOnly },
      'write sync/unseal': { rootNamespaceOnly, sudo: true, knownFieldsOnly: true },
      'write seal': { rootNamespaceOnly, sudo: true, whileSealed: true, knownFieldsOnly: true },
      'read seal-status': open,
      'read health': { ...open, forProbes: true, replies: expect.anything() },
      'read leader': open,
      'read key-status': { rootNamespaceOnly },
      'write rotate': { rootNamespaceOnly, sudo: true },
      'write rotate/keyring': { rootNamespaceOnly, sudo: true },
    });
  });
});

describe('sys/seal-status', () => {
  test('before initialisation has no counts and no cluster', async () => {
    const { rows } = await start();
    const body = { ...(await call(rows, 'read', 'seal-status'))?.body };
    expect(body).toEqual({
      type: 'shamir',
      initialized: false,
      sealed: true,
      t: 0,
      n: 0,
      progress: 0,
      nonce: '',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      build_date: expect.any(String),
      migration: false,
      recovery_seal: false,
      storage_type: 'postgresql',
    });
  });

  test('shows the type of the recovery seal of an initialised automatic seal, but not for key shares', async () => {
    const automatic = await start({ seal: staticSeal() });
    expect((await call(automatic.rows, 'read', 'seal-status'))?.body).not.toHaveProperty('recovery_seal_type');
    await initAutomatic(automatic.rows);
    const body = (await call(automatic.rows, 'read', 'seal-status'))?.body;
    expect(body).toMatchObject({ type: 'static', recovery_seal: true, recovery_seal_type: 'shamir' });
    const shares = await start();
    await init(shares.rows);
    expect((await call(shares.rows, 'read', 'seal-status'))?.body).not.toHaveProperty('recovery_seal_type');
  });

  test('after initialisation names the cluster', async () => {
    const { rows, store } = await start();
    await init(rows);
    const { clusterId, clusterName } = store.seal.status();
    expect((await call(rows, 'read', 'seal-status'))?.body).toMatchObject({
      initialized: true,
      sealed: true,
      t: 2,
      n: 3,
      cluster_id: clusterId,
      cluster_name: clusterName,
    });
  });
});

test('sys/leader reports no leader', async () => {
  const { rows } = await start();
  expect((await call(rows, 'read', 'leader'))?.body).toMatchObject({ ha_enabled: false, is_self: false });
});

describe('sys/rotate and sys/key-status', () => {
  test.each(['rotate', 'rotate/keyring'])('%s adds a term', async (path) => {
    const clock = heldClock();
    const { rows, store } = await start({ seal: staticSeal(), clock });
    await initAutomatic(rows);
    store.barrier.seal('value', 'x');
    const data = { term: 1, install_time: clock.now().toISOString(), encryptions: 1 };
    expect(await call(rows, 'read', 'key-status')).toEqual({ flat: true, data });
    clock.pass(1_000);
    expect(await call(rows, 'write', path)).toBeUndefined();
    const rotated = { term: 2, install_time: clock.now().toISOString(), encryptions: 0 };
    expect(await call(rows, 'read', 'key-status')).toEqual({ flat: true, data: rotated });
  });

  test('neither works while sealed', async () => {
    const { rows } = await start();
    await init(rows);
    for (const verb of ['read', 'write'] as const) {
      const answer = call(rows, verb, verb === 'read' ? 'key-status' : 'rotate');
      await expect(answer).rejects.toThrow(expect.objectContaining({ kind: 'sealed' }));
    }
  });
});
