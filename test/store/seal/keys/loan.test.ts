import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Secret } from '#core/secret.ts';
import { openStore } from '#store/open.ts';
import { newLoanKey, wrapLoan } from '#store/seal/keys/loan.ts';
import { openKeyring, readRecord } from '#store/seal/record.ts';
import { ending, testDatabase } from '#test/support/services.ts';
import { storeOptions } from '../../stores.ts';

const terms = { clusterId: '11111111-1111-4111-8111-111111111111', seals: 3 };
const rootKey = randomBytes(32);
const pemOf = (type: 'spki' | 'pkcs1', bits: number, exponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength: bits, publicExponent: exponent })
    .publicKey.export({ type, format: 'pem' })
    .toString();

describe('a loan', () => {
  test('opens with the key of its request, and is never the same twice', async () => {
    const key = await newLoanKey();
    const [one, two] = [wrapLoan(rootKey, key.publicKey, terms), wrapLoan(rootKey, key.publicKey, terms)];
    expect(one.equals(two)).toBe(false);
    for (const wrapped of [one, two]) expect(key.open(wrapped, terms)).toEqual(rootKey);
  });

  test('opens neither with another key, nor for another installation, nor for another sealing', async () => {
    const [key, other] = [await newLoanKey(), await newLoanKey()];
    const wrapped = wrapLoan(rootKey, key.publicKey, terms);
    expect(() => other.open(wrapped, terms)).toThrow();
    expect(() => key.open(wrapped, { ...terms, seals: 2 })).toThrow();
    expect(() => key.open(wrapped, { ...terms, clusterId: '21111111-1111-4111-8111-111111111111' })).toThrow();
    wrapped.writeUInt8(wrapped.readUInt8(100) ^ 1, 100);
    expect(() => key.open(wrapped, terms)).toThrow();
  });

  test.each([
    ['nothing', () => ''],
    ['no PEM', () => 'x'.repeat(600)],
    ['a shorter key', () => pemOf('spki', 2_048)],
    ['a longer key', () => pemOf('spki', 4_096)],
    ['another exponent', () => pemOf('spki', 3_072, 3)],
    ['another form', () => pemOf('pkcs1', 3_072)],
    [
      'a private key',
      () =>
        generateKeyPairSync('rsa', { modulusLength: 3_072 })
          .privateKey.export({ type: 'pkcs8', format: 'pem' })
          .toString(),
    ],
    [
      'a key of a curve',
      () => generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ],
  ])('is not wrapped to %s', (_what, pem) => {
    expect(() => wrapLoan(rootKey, pem(), terms)).toThrow(
      expect.objectContaining({ kind: 'bad-request', message: expect.stringContaining('RSA public key of 3072 bits') }),
    );
  });
});

describe('an unsealed process', () => {
  const rule = { shares: 3, threshold: 2 };

  async function unsealed() {
    const url = await testDatabase();
    const store = ending(await openStore(storeOptions(url)));
    const { shares } = await store.seal.init(rule, async () => undefined);
    const unseal = async (one: typeof store) => {
      for (const share of shares.slice(0, 2)) await one.seal.unseal(share.toString('hex'));
    };
    await unseal(store);
    return { url, store, unseal };
  }

  test('lends the root key, which opens the keyring of the record', async () => {
    const { store } = await unsealed();
    const key = await newLoanKey();
    const { wrapped, ...given } = await store.seal.lend(key.publicKey);
    expect(given).toEqual({ clusterId: store.seal.status().clusterId, seals: 0 });
    const record = await readRecord(store.db);
    if (record === undefined) throw new Error('there is no record');
    expect(openKeyring(record, key.open(wrapped, given)).keys).toHaveLength(1);
  });

  test('lends nothing once another process has sealed the installation, even before it has noticed, and then seals itself', async () => {
    const { url, store, unseal } = await unsealed();
    const other = ending(await openStore(storeOptions(url)));
    await unseal(other);
    await other.seal.sealEverywhere();
    expect(store.seal.state()).toBe('ready');
    const { publicKey } = await newLoanKey();
    await expect(store.seal.lend(publicKey)).rejects.toThrow(expect.objectContaining({ kind: 'sealed' }));
    expect(store.seal.state()).toBe('sealed');
    await expect(store.seal.lend(publicKey)).rejects.toThrow(expect.objectContaining({ kind: 'sealed' }));
    await unseal(store);
    expect((await store.seal.lend(publicKey)).seals).toBe(1);
  });

  test('lends nothing with an automatic seal', async () => {
    const seal = { key: new Secret(randomBytes(32).toString('hex')) };
    const store = ending(await openStore(storeOptions(await testDatabase(), { seal })));
    await store.seal.init({ shares: 0, threshold: 0 }, async () => undefined);
    const { publicKey } = await newLoanKey();
    await expect(store.seal.lend(publicKey)).rejects.toThrow(
      expect.objectContaining({ kind: 'bad-request', message: expect.stringContaining('automatic seal') }),
    );
  });
});
