import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '#core/secret.ts';
import { type OpenStore, openStore, type StoreOptions } from '#store/open.ts';
import { ending, testDatabase } from '../../support/services.ts';
import { heldClock } from '../clocks.ts';
import { storeOptions } from '../stores.ts';
import { rememberingLog } from './remembering-log.ts';

const rule = { shares: 5, threshold: 3 };
const hex = (share: Buffer | undefined): string => share?.toString('hex') ?? '';
const nothing = async () => undefined;

async function open(databaseUrl: string, changes: Partial<StoreOptions> = {}): Promise<OpenStore> {
  return ending(await openStore(storeOptions(databaseUrl, changes)));
}

async function unsealWith(store: OpenStore, shares: readonly Buffer[]): Promise<void> {
  for (const share of shares) await store.seal.unseal(share.toString('hex'));
}

const isBadRequest = (message: RegExp) =>
  expect.objectContaining({ kind: 'bad-request', message: expect.stringMatching(message) });

describe('key shares', () => {
  test('a new store is not initialised, then sealed, and unsealed by the last share that is needed', async () => {
    const url = await testDatabase();
    const store = await open(url);
    expect(store.seal.status()).toMatchObject({ state: 'uninitialised', type: 'shamir', shares: 0, clusterId: '' });

    const { shares } = await store.seal.init(rule, nothing);
    expect(store.seal.status()).toMatchObject({ state: 'sealed', shares: 5, threshold: 3, progress: 0, nonce: '' });

    const first = await store.seal.unseal(hex(shares[0]));
    expect(first).toMatchObject({ state: 'sealed', progress: 1 });
    expect(first.nonce).toMatch(/^[0-9a-f-]{36}$/);
    const second = await store.seal.unseal(hex(shares[4]));
    expect(second).toMatchObject({ state: 'sealed', progress: 2, nonce: first.nonce });
    const third = await store.seal.unseal(hex(shares[2]));
    expect(third).toMatchObject({ state: 'ready', progress: 0, nonce: '' });
    expect(store.barrier.open(store.barrier.seal('value', 'x'), 'x').toString()).toBe('value');
  });

  test('another process with other shares opens what the first one sealed', async () => {
    const url = await testDatabase();
    const one = await open(url);
    const { shares } = await one.seal.init(rule, nothing);
    await unsealWith(one, shares.slice(0, 3));
    const two = await open(url);
    expect(two.seal.state()).toBe('sealed');
    await unsealWith(two, shares.slice(2));
    expect(two.barrier.open(one.barrier.seal('value', 'x'), 'x').toString()).toBe('value');
    expect(two.barrier.mac('token', 't')).toEqual(one.barrier.mac('token', 't'));
    expect(two.seal.status().clusterId).toBe(one.seal.status().clusterId);
  });

  test('a repeated share does not count again', async () => {
    const store = await open(await testDatabase());
    const { shares } = await store.seal.init(rule, nothing);
    const [share = Buffer.of()] = shares;
    await unsealWith(store, [share, share]);
    expect(await store.seal.unseal(share.toString('base64'))).toMatchObject({ state: 'sealed', progress: 1 });
  });

  test('a wrong set of shares is refused and the progress starts again', async () => {
    const store = await open(await testDatabase());
    const { shares } = await store.seal.init(rule, nothing);
    await unsealWith(store, shares.slice(0, 2));
    await expect(store.seal.unseal(hex(randomBytes(33)))).rejects.toThrow(isBadRequest(/do not unseal/));
    expect(store.seal.status()).toMatchObject({ state: 'sealed', progress: 0, nonce: '' });
    await unsealWith(store, shares.slice(1, 4));
    expect(store.seal.state()).toBe('ready');
  });

  test('a forged share with the coordinate of a genuine one is refused like a wrong one', async () => {
    const store = await open(await testDatabase());
    const { shares } = await store.seal.init(rule, nothing);
    const forged = Buffer.from(shares[0] ?? Buffer.of());
    forged.writeUInt8(forged.readUInt8(0) ^ 1, 0);
    await unsealWith(store, shares.slice(0, 2));
    await expect(store.seal.unseal(hex(forged))).rejects.toThrow(isBadRequest(/do not unseal/));
    expect(store.seal.status().progress).toBe(0);
  });

  test('a share of another length is refused and the progress stays', async () => {
    const store = await open(await testDatabase());
    const { shares } = await store.seal.init(rule, nothing);
    await unsealWith(store, shares.slice(0, 2));
    await expect(store.seal.unseal(hex(randomBytes(32)))).rejects.toThrow(isBadRequest(/must be 33 bytes long/));
    expect(store.seal.status().progress).toBe(2);
    expect(store.seal.resetUnseal().progress).toBe(0);
  });

  test('shares that arrive at the same time are processed in sequence', async () => {
    const store = await open(await testDatabase());
    const { shares } = await store.seal.init(rule, nothing);
    await Promise.all(shares.map((share) => store.seal.unseal(hex(share))));
    expect(store.seal.status()).toMatchObject({ state: 'ready', progress: 0 });
  });

  test('a single share is the key', async () => {
    const store = await open(await testDatabase());
    const { shares } = await store.seal.init({ shares: 1, threshold: 1 }, nothing);
    expect(shares.map((share) => share.length)).toEqual([32]);
    await unsealWith(store, shares);
    expect(store.seal.state()).toBe('ready');
  });

  test('sealing closes the barrier, and the shares open it again', async () => {
    const store = await open(await testDatabase());
    const { shares } = await store.seal.init(rule, nothing);
    await unsealWith(store, shares.slice(0, 3));
    expect(() => store.seal.resetUnseal()).toThrow(isBadRequest(/is unsealed/));
    const sealed = store.barrier.seal('value', 'x');
    store.seal.sealNow();
    store.seal.sealNow();
    expect(store.seal.state()).toBe('sealed');
    expect(() => store.barrier.open(sealed, 'x')).toThrow(expect.objectContaining({ kind: 'sealed' }));
    await expect(store.seal.rotate()).rejects.toThrow(expect.objectContaining({ kind: 'sealed' }));
    await store.seal.refresh();
    expect(store.seal.state()).toBe('sealed');
    await unsealWith(store, shares.slice(2));
    expect(store.barrier.open(sealed, 'x').toString()).toBe('value');
  });

  test('there is nothing to unseal before initialisation', async () => {
    const store = await open(await testDatabase());
    await expect(store.seal.unseal(hex(randomBytes(33)))).rejects.toThrow(isBadRequest(/not initialized/));
  });
});

describe('initialising', () => {
  test('of several concurrent processes exactly one succeeds, and the others use its store', async () => {
    const url = await testDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const results = await Promise.allSettled(stores.map((store) => store.seal.init(rule, nothing)));
    const won = results.filter((result) => result.status === 'fulfilled');
    const lost = results.filter((result) => result.status === 'rejected');
    expect(won).toHaveLength(1);
    for (const { reason } of lost) expect(reason).toEqual(isBadRequest(/already initialized/));
    for (const store of stores) {
      await store.seal.refresh();
      expect(store.seal.state()).toBe('sealed');
      await unsealWith(store, won[0]?.value.shares.slice(0, 3) ?? []);
      expect(store.seal.state()).toBe('ready');
    }
  });

  test('when the preparation fails, nothing is initialised and it can be tried again', async () => {
    const store = await open(await testDatabase());
    const failing = store.seal.init(rule, async (tx) => {
      await tx.insertInto('revisions').values({ name: 'half' }).execute();
      store.barrier.mac('token', 'the barrier is open');
      throw new Error('no root token');
    });
    await expect(failing).rejects.toThrow('no root token');
    expect(store.seal.state()).toBe('uninitialised');
    expect(store.barrier.sealed).toBe(true);
    const half = await store.db.selectFrom('revisions').selectAll().where('name', '=', 'half').execute();
    expect(half).toEqual([]);
    const { prepared } = await store.seal.init(rule, async () => 'token');
    expect(prepared).toBe('token');
  });

  test('a second initialisation is refused, whatever its parameters', async () => {
    const store = await open(await testDatabase());
    await store.seal.init(rule, nothing);
    await expect(store.seal.init({ shares: 0, threshold: 0 }, nothing)).rejects.toThrow(isBadRequest(/already/));
  });

  test('an invalid rule is refused before anything is made', async () => {
    const store = await open(await testDatabase());
    const asked = store.seal.init({ shares: 2, threshold: 3 }, nothing);
    await expect(asked).rejects.toThrow(isBadRequest(/invalid seal configuration/));
    expect(store.seal.state()).toBe('uninitialised');
  });
});

describe('the automatic seal', () => {
  const staticSeal = () => ({ key: new Secret(randomBytes(32).toString('base64')) });

  test('is open after initialisation and at each start', async () => {
    const url = await testDatabase();
    const seal = staticSeal();
    const store = await open(url, { seal });
    const { shares } = await store.seal.init(rule, nothing);
    expect(shares).toEqual([]);
    expect(store.seal.status()).toMatchObject({ state: 'ready', type: 'static', shares: 0, threshold: 0 });
    const sealed = store.barrier.seal('value', 'x');
    const again = await open(url, { seal });
    expect(again.seal.state()).toBe('ready');
    expect(again.barrier.open(sealed, 'x').toString()).toBe('value');
    await expect(again.seal.init(rule, nothing)).rejects.toThrow(isBadRequest(/already/));
  });

  test('takes the key from a file, as text or as raw bytes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyferry-seal-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const key = randomBytes(32);
    const url = await testDatabase();
    for (const [name, content] of [
      ['hex', `${key.toString('hex')}\n`],
      ['bytes', key],
    ] as const) {
      const keyFile = join(folder, name);
      await writeFile(keyFile, content);
      const store = await open(url, { seal: { keyFile } });
      if (store.seal.state() === 'uninitialised') await store.seal.init(rule, nothing);
      expect(store.seal.state()).toBe('ready');
    }
  });

  test('refuses a key of another length or a missing file without showing any content', async () => {
    const url = await testDatabase();
    const short = openStore(storeOptions(url, { seal: { key: new Secret('abcdef0123456789') } }));
    await expect(short).rejects.toThrow(/must be 32 bytes in hex or base64/);
    await expect(short).rejects.not.toThrow(/abcdef/);
    const missing = openStore(storeOptions(url, { seal: { keyFile: '/nowhere/key' } }));
    await expect(missing).rejects.toThrow('/nowhere/key cannot be read: ENOENT');
  });

  test('a process that starts before initialisation opens when another one has initialised', async () => {
    const url = await testDatabase();
    const seal = staticSeal();
    const waiting = await open(url, { seal });
    await (await open(url, { seal })).seal.init(rule, nothing);
    expect(waiting.seal.state()).toBe('uninitialised');
    await waiting.seal.refresh();
    expect(waiting.seal.state()).toBe('ready');
  });

  test('with a wrong key or without a key, it stays sealed and logs this once', async () => {
    const url = await testDatabase();
    await (await open(url, { seal: staticSeal() })).seal.init(rule, nothing);
    for (const seal of [staticSeal(), 'shamir'] as const) {
      const { log, lines } = rememberingLog();
      const store = await open(url, { seal, log });
      await store.seal.refresh();
      expect(store.seal.status()).toMatchObject({ state: 'sealed', type: 'static' });
      expect(lines.filter((line) => line.includes('stays sealed'))).toHaveLength(1);
      await expect(store.seal.unseal(hex(randomBytes(33)))).rejects.toThrow(isBadRequest(/configured key/));
    }
  });

  test('sealed by request, it does not unseal itself', async () => {
    const store = await open(await testDatabase(), { seal: staticSeal() });
    await store.seal.init(rule, nothing);
    store.seal.sealNow();
    await store.seal.refresh();
    expect(store.seal.state()).toBe('sealed');
  });
});

describe('rotation', () => {
  const start = async () => {
    const url = await testDatabase();
    const seal = { key: new Secret(randomBytes(32).toString('hex')) };
    const clock = heldClock();
    const one = await open(url, { seal, clock });
    await one.seal.init(rule, nothing);
    return { url, seal, clock, one, two: await open(url, { seal, clock }) };
  };

  test('another process reads the new key when it refreshes', async () => {
    const { one, two, clock } = await start();
    const old = two.barrier.seal('old', 'x');
    await one.seal.rotate();
    expect(one.seal.keyStatus()).toMatchObject({ term: 2, installTime: clock.now(), encryptions: 0 });
    await two.seal.refresh();
    clock.pass(60_000);
    const fresh = one.barrier.seal('new', 'x');
    expect(fresh.readUInt32BE()).toBe(2);
    expect(two.barrier.open(fresh, 'x').toString()).toBe('new');
    expect(one.barrier.open(old, 'x').toString()).toBe('old');
  });

  test('a process that missed the rotation reads the keyring when it finds the new term', async () => {
    const { one, two, clock } = await start();
    await one.seal.rotate();
    clock.pass(60_000);
    const fresh = one.barrier.seal('new', 'x');
    expect(() => two.barrier.open(fresh, 'x')).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    await two.seal.refresh();
    expect(two.barrier.open(fresh, 'x').toString()).toBe('new');
  });

  test('two processes that rotate at the same time add two keys', async () => {
    const { one, two } = await start();
    await Promise.all([one.seal.rotate(), two.seal.rotate()]);
    await Promise.all([one.seal.refresh(), two.seal.refresh()]);
    expect([one.seal.keyStatus().term, two.seal.keyStatus().term]).toEqual([3, 3]);
  });

  test('the values that a process has sealed are counted, even after its end', async () => {
    const { one, two, url, seal, clock } = await start();
    for (let count = 0; count < 5; count += 1) one.barrier.seal('value', 'x');
    two.barrier.seal('value', 'x');
    expect(one.seal.keyStatus().encryptions).toBe(5);
    const third = await openStore(storeOptions(url, { seal, clock }));
    third.barrier.seal('value', 'x');
    await third.close();
    expect((await open(url, { seal, clock })).seal.keyStatus().encryptions).toBe(1);
  });

  test('a process whose store was replaced seals itself', async () => {
    const { one } = await start();
    await one.db.deleteFrom('seal').execute();
    await one.seal.refresh();
    expect(one.seal.state()).toBe('uninitialised');
    expect(one.barrier.sealed).toBe(true);
  });
});

test('the printed store shows neither key nor password', async () => {
  const key = randomBytes(32).toString('hex');
  const url = await testDatabase();
  const { password } = new URL(url);
  const store = await open(url, { seal: { key: new Secret(key) } });
  await store.seal.init(rule, nothing);
  const shown = inspect(store, { depth: 12, showHidden: true });
  expect(shown).not.toContain(key);
  expect(password).not.toBe('');
  expect(shown).not.toContain(password);
});
