import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { Secret } from '#core/secret.ts';
import { outerKeyBy } from '#key-services/outer-key.ts';
import { type OpenStore, openStore, type StoreOptions } from '#store/open.ts';
import { fakeCloudAKms } from '../../key-services/fakes/cloud-a-kms.ts';
import { fakeCloudCKms } from '../../key-services/fakes/cloud-c-kms.ts';
import { ending, testDatabase } from '../../support/services.ts';
import { heldClock } from '../clocks.ts';
import { storeOptions } from '../stores.ts';
import { rememberingLog } from './remembering-log.ts';

const rule = { shares: 3, threshold: 2 };
const none = { shares: 0, threshold: 0 };
const nothing = async () => undefined;
const isBadRequest = (message: RegExp) =>
  expect.objectContaining({ kind: 'bad-request', message: expect.stringMatching(message) });

type Seals = Pick<StoreOptions, 'seal' | 'formerSeal'> & Partial<StoreOptions>;

const staticKey = () => ({ key: new Secret(randomBytes(32).toString('hex')) });
const cloudC = async () => {
  const { server, service, rotate } = await fakeCloudCKms();
  return { server, rotate, key: outerKeyBy(service) };
};

/** An installation with one seal, whose process stays open, and the shares of its operators. */
async function installation(first: Seals, recovery?: typeof rule) {
  const url = await testDatabase();
  const open = async (seals: Seals): Promise<OpenStore> => ending(await openStore(storeOptions(url, seals)));
  const old = await open(first);
  const made = await old.seal.init(first.seal === 'shamir' ? rule : none, nothing, recovery);
  const shares = first.seal === 'shamir' ? made.shares : made.recoveryShares;
  if (first.seal === 'shamir') await give(old, shares, false);
  const value = old.barrier.seal('value', 'x');
  const opens = (store: OpenStore) => store.barrier.open(value, 'x').toString() === 'value';
  return { open, old, shares, opens };
}

/** As many shares as the threshold requires. */
async function give(store: OpenStore, shares: readonly Buffer[], migrate = true) {
  let status = store.seal.status();
  for (const share of shares.slice(0, rule.threshold)) status = await store.seal.unseal(share.toString('hex'), migrate);
  return status;
}

/** Checks that the shares authorise a root token. */
async function makesRootToken(store: OpenStore, shares: readonly Buffer[]): Promise<boolean> {
  const attempts = store.keyAttempts.rootToken;
  const { nonce = '' } = await attempts.begin('pad');
  for (const share of shares.slice(0, rule.threshold)) {
    const { combined } = await attempts.give(share.toString('hex'), nonce, async () => 'abc');
    if (combined !== undefined) return true;
  }
  return false;
}

describe('from key shares to a key service', () => {
  test('the shares change the seal, and are shares of the recovery key from then on', async () => {
    const { key } = await cloudC();
    const { open, old, shares, opens } = await installation({ seal: 'shamir' });
    const { log, lines } = rememberingLog();
    const store = await open({ seal: key, log });
    expect(store.seal.status()).toMatchObject({ state: 'sealed', type: 'shamir', migration: true, shares: 3 });
    expect(await give(store, shares)).toMatchObject({
      state: 'ready',
      type: 'cloud-c-kms',
      migration: false,
      shares: 3,
      threshold: 2,
      progress: 0,
    });
    expect(opens(store)).toBe(true);
    expect(lines.join()).toContain('the seal was migrated {"from":"shamir","to":"cloud-c-kms"}');
    expect(await makesRootToken(store, shares)).toBe(true);
    // A process with the old settings continues and knows the new seal.
    await old.seal.refresh();
    expect(old.seal.status()).toMatchObject({ state: 'ready', type: 'cloud-c-kms' });
    expect(opens(old)).toBe(true);
    // A process with the new settings needs no operator.
    expect(opens(await open({ seal: key }))).toBe(true);
  });

  test('a process that starts with the old settings afterwards stays sealed and says why', async () => {
    const { key } = await cloudC();
    const { open, shares } = await installation({ seal: 'shamir' });
    await give(await open({ seal: key }), shares);
    const { log, lines } = rememberingLog();
    const late = await open({ seal: 'shamir', log });
    expect(late.seal.status()).toMatchObject({ state: 'sealed', type: 'cloud-c-kms', migration: false });
    expect(lines.join()).toContain('the store has the seal type cloud-c-kms, but no key for it is configured');
    await expect(give(late, shares, false)).rejects.toThrow(isBadRequest(/configured key/));
    await expect(give(late, shares)).rejects.toThrow(isBadRequest(/nothing to migrate/));
  });

  test('a process that waited with the new settings unseals itself when another one has migrated', async () => {
    const { key } = await cloudC();
    const { open, shares, opens } = await installation({ seal: 'shamir' });
    const waiting = await open({ seal: key });
    await give(await open({ seal: key }), shares);
    await waiting.seal.refresh();
    expect(opens(waiting)).toBe(true);
  });

  test('shares without "migrate" are refused, and so is "migrate" when there is nothing to migrate', async () => {
    const { key } = await cloudC();
    const { open, shares } = await installation({ seal: 'shamir' });
    const store = await open({ seal: key });
    await expect(give(store, shares, false)).rejects.toThrow(isBadRequest(/"migrate": true/));
    expect(store.seal.status()).toMatchObject({ progress: 0, migration: true });
    const plain = await open({ seal: 'shamir' });
    await expect(give(plain, shares)).rejects.toThrow(isBadRequest(/nothing to migrate/));
  });

  test('wrong shares change nothing and start again', async () => {
    const { key } = await cloudC();
    const { open, shares } = await installation({ seal: 'shamir' });
    const store = await open({ seal: key });
    const wrong = [shares[0] ?? Buffer.of(), randomBytes(33)];
    await expect(give(store, wrong)).rejects.toThrow(isBadRequest(/start again/));
    expect(store.seal.status()).toMatchObject({ type: 'shamir', state: 'sealed', progress: 0 });
    expect(await give(store, shares)).toMatchObject({ state: 'ready' });
  });

  test('while the key service is unavailable nothing changes, and the shares are kept', async () => {
    const { key, server } = await cloudC();
    const { open, old, shares } = await installation({ seal: 'shamir' });
    const store = await open({ seal: key });
    server.fault = 'busy';
    await expect(give(store, shares)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(store.seal.status()).toMatchObject({ type: 'shamir', progress: 2, migration: true });
    await old.seal.refresh();
    expect(old.seal.status().type).toBe('shamir');
    server.fault = undefined;
    expect(await give(store, shares.slice(1))).toMatchObject({ state: 'ready', type: 'cloud-c-kms' });
  });

  test('a failed transaction leaves the previous seal unchanged', async () => {
    const { key } = await cloudC();
    const { open, old, shares } = await installation({ seal: 'shamir' });
    await sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'`.execute(
      old.db,
    );
    await sql`create trigger refuse before delete on key_attempts for each statement execute function refuse()`.execute(
      old.db,
    );
    const store = await open({ seal: key });
    await expect(give(store, shares)).rejects.toThrow();
    expect(store.seal.state()).toBe('sealed');
    await sql`drop function refuse cascade`.execute(old.db);
    const another = await open({ seal: 'shamir' });
    expect(await give(another, shares, false)).toMatchObject({ state: 'ready', type: 'shamir' });
  });

  test('two processes that migrate at the same time end with the same seal', async () => {
    const { key } = await cloudC();
    const { open, shares, opens } = await installation({ seal: 'shamir' });
    const stores = await Promise.all([open({ seal: key }), open({ seal: key })]);
    await Promise.allSettled(stores.map((store) => give(store, shares)));
    for (const store of stores) {
      await store.seal.refresh();
      expect(opens(store)).toBe(true);
    }
  });

  test('a rekey in progress ends together with the seal that it was for', async () => {
    const { key } = await cloudC();
    const { open, old, shares } = await installation({ seal: 'shamir' });
    await old.keyAttempts.rekey.begin(rule, false);
    const store = await open({ seal: key });
    await give(store, shares);
    expect((await store.keyAttempts.recoveryRekey.status()).nonce).toBeUndefined();
    expect(await store.db.selectFrom('key_attempts').selectAll().execute()).toEqual([]);
  });
});

describe('from a key service to key shares', () => {
  test('the recovery shares become key shares', async () => {
    const { key } = await cloudC();
    const { open, shares, opens } = await installation({ seal: key }, rule);
    const store = await open({ seal: 'shamir', formerSeal: key });
    expect(store.seal.status()).toMatchObject({ state: 'sealed', type: 'cloud-c-kms', migration: true, shares: 3 });
    await expect(give(store, shares, false)).rejects.toThrow(isBadRequest(/"migrate": true/));
    expect(await give(store, shares)).toMatchObject({ state: 'ready', type: 'shamir', migration: false, shares: 3 });
    expect(opens(store)).toBe(true);
    const plain = await open({ seal: 'shamir' });
    expect(plain.seal.status()).toMatchObject({ state: 'sealed', type: 'shamir' });
    expect(await give(plain, shares.slice(1), false)).toMatchObject({ state: 'ready' });
    expect(opens(plain)).toBe(true);
    expect(await makesRootToken(plain, shares)).toBe(true);
    const row = await plain.db.selectFrom('seal').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ key_id: '', recovery_key: null, recovery_shares: 0 });
  });

  test('unrelated shares change nothing', async () => {
    const { key } = await cloudC();
    const { open, shares } = await installation({ seal: key }, rule);
    const store = await open({ seal: 'shamir', formerSeal: key });
    await expect(give(store, [shares[0] ?? Buffer.of(), randomBytes(33)])).rejects.toThrow(isBadRequest(/start again/));
    expect(store.seal.status()).toMatchObject({ type: 'cloud-c-kms', state: 'sealed', progress: 0 });
  });
});

describe('from one automatic seal to another', () => {
  test('from the static key to a key service by the recovery shares, which stay', async () => {
    const former = staticKey();
    const { key } = await cloudC();
    const { open, old, shares, opens } = await installation({ seal: former }, rule);
    const store = await open({ seal: key, formerSeal: former });
    expect(store.seal.status()).toMatchObject({ state: 'sealed', type: 'static', migration: true });
    expect(await give(store, shares)).toMatchObject({ state: 'ready', type: 'cloud-c-kms', shares: 3 });
    expect(await makesRootToken(store, shares)).toBe(true);
    await old.seal.refresh();
    expect(opens(old)).toBe(true);
    const { log, lines } = rememberingLog();
    expect((await open({ seal: former, log })).seal.state()).toBe('sealed');
    expect(lines.join()).toContain('the store has the seal type cloud-c-kms, but no key for it is configured');
  });

  test('without recovery keys the static key is the only share, and the recovery key from then on', async () => {
    const former = staticKey();
    const { key } = await cloudC();
    const { open } = await installation({ seal: former });
    const store = await open({ seal: key, formerSeal: former });
    await expect(store.seal.unseal(randomBytes(32).toString('hex'), true)).rejects.toThrow(isBadRequest(/start again/));
    const status = await store.seal.unseal(former.key.reveal(), true);
    expect(status).toMatchObject({ state: 'ready', type: 'cloud-c-kms', shares: 1, threshold: 1 });
    expect(await makesRootToken(store, [Buffer.from(former.key.reveal(), 'hex')])).toBe(true);
  });

  test('from one static key to another', async () => {
    const [former, next] = [staticKey(), staticKey()];
    const { open, shares, opens } = await installation({ seal: former }, rule);
    const store = await open({ seal: next, formerSeal: former });
    expect(store.seal.status()).toMatchObject({ state: 'sealed', type: 'static', migration: true });
    expect(await give(store, shares)).toMatchObject({ state: 'ready', type: 'static' });
    expect(opens(await open({ seal: next }))).toBe(true);
    expect((await open({ seal: former })).seal.state()).toBe('sealed');
  });

  test('from one key of a service to another, and to another service', async () => {
    const { service, other } = await fakeCloudAKms();
    const [one, two] = [outerKeyBy(service), outerKeyBy(other)];
    const { key: third } = await cloudC();
    const { open, shares, opens } = await installation({ seal: one }, rule);
    const second = await open({ seal: two, formerSeal: one });
    expect(second.seal.status()).toMatchObject({ migration: true, type: 'cloud-a-kms' });
    expect(await give(second, shares)).toMatchObject({ state: 'ready', type: 'cloud-a-kms' });
    expect(await give(await open({ seal: third, formerSeal: two }), shares)).toMatchObject({ type: 'cloud-c-kms' });
    expect(opens(await open({ seal: third, formerSeal: two }))).toBe(true);
  });

  test('an unavailable key is not treated as a wrong key: nothing is migrated', async () => {
    const { key, server } = await cloudC();
    const { open, shares } = await installation({ seal: key }, rule);
    server.fault = 'busy';
    const { service } = await fakeCloudCKms();
    const store = await open({ seal: key, formerSeal: outerKeyBy(service) });
    expect(store.seal.status()).toMatchObject({ state: 'sealed', migration: false });
    await expect(give(store, shares)).rejects.toThrow(isBadRequest(/nothing to migrate/));
  });
});

describe('a newer version of the key', () => {
  test('rewraps the root key once, and older wrapped keys still open', async () => {
    const { key, rotate } = await cloudC();
    const clock = heldClock();
    const { open, old, opens } = await installation({ seal: key, clock }, rule);
    const row = () => old.db.selectFrom('seal').select(['key_id', 'root_key']).executeTakeFirstOrThrow();
    const first = await row();
    rotate();
    expect(opens(await open({ seal: key }))).toBe(true);
    await old.seal.rewrapIfDue();
    const second = await row();
    expect([first.key_id, second.key_id].map((id) => id.at(-1))).toEqual(['1', '2']);
    expect(opens(await open({ seal: key }))).toBe(true);
    rotate();
    await old.seal.rewrapIfDue();
    expect((await row()).root_key).toEqual(second.root_key);
    clock.pass(3_600_000);
    await old.seal.refresh();
    await old.seal.rewrapIfDue();
    expect((await row()).key_id.at(-1)).toBe('3');
  });

  test('nothing is written while the version is the same, and an unavailable service causes a warning', async () => {
    const { key, server } = await cloudC();
    const { log, lines } = rememberingLog();
    const { old } = await installation({ seal: key, log }, rule);
    const before = await old.db.selectFrom('seal').selectAll().executeTakeFirstOrThrow();
    server.fault = 'denied';
    await old.seal.rewrapIfDue();
    expect(lines.at(-1)).toContain('could not check whether the key of the seal has a newer version');
    expect(lines.at(-1)).toContain('grant cloudkms.cryptoKeyVersions.useToEncrypt');
    const other = await installation({ seal: key }).catch(() => undefined);
    expect(other).toBeUndefined();
    server.fault = undefined;
    await old.seal.rewrapIfDue();
    expect(await old.db.selectFrom('seal').selectAll().executeTakeFirstOrThrow()).toEqual(before);
  });
});
