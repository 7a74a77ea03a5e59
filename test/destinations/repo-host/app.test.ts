import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Secret } from '#core/secret.ts';
import type { Driver, DriverContext } from '#destinations/contract.ts';
import { type RepoHostFake, startFake } from '#destinations/repo-host/fake/index.ts';
import { calm, failureOf, item, movableClock, open } from './connection.ts';

let fake: RepoHostFake;
const opened: Driver[] = [];

beforeEach(async () => {
  fake = await startFake();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((driver) => driver.close()));
  await fake.close();
});

function openApp(changes: Partial<DriverContext> = {}, body: object = {}): Driver {
  const driver = open(fake, { ...fake.appDestination, ...body }, changes);
  opened.push(driver);
  return driver;
}

/** Credentials of an app of this host. */
const appOf = (appId: number, pem: string) => async () => ({
  appId,
  privateKey: new Secret(pem),
  addresses: { endpoint: fake.url },
});

const tokensMade = () => fake.calls().get('create-access-token') ?? 0;
const put = (driver: Driver, name: string) => driver.put(item(name, 'value', { mode: 'update' }), calm());
const failing = async (changes: Partial<DriverContext>, body: object = {}) =>
  await failureOf(put(openApp(changes, body), 'TOKEN'));

it('One installation token serves many puts, including concurrent ones.', async () => {
  const driver = openApp();
  await Promise.all(['A', 'B', 'C', 'D'].map((name) => put(driver, name)));
  await put(driver, 'E');
  expect([...fake.objects().keys()].sort()).toEqual(['A', 'B', 'C', 'D', 'E']);
  expect(tokensMade()).toBe(1);
});

it('The token is renewed a minute before it expires.', async () => {
  const clock = movableClock();
  const driver = openApp({ clock });
  await put(driver, 'A');
  clock.advance(58 * 60_000);
  await put(driver, 'B');
  expect(tokensMade()).toBe(1);
  clock.advance(90_000);
  await put(driver, 'C');
  expect(tokensMade()).toBe(2);
});

it.each([2 * 3_600_000, -2 * 3_600_000])('A host whose clock is %d ms ahead gets a valid signature.', async (shift) => {
  fake.shiftClock(shift);
  const driver = openApp();
  await put(driver, 'A');
  await put(driver, 'B');
  expect(tokensMade()).toBeLessThanOrEqual(2);
  expect(fake.objects().size).toBe(2);
});

it('A token that the host has revoked is replaced within the same put.', async () => {
  const clock = movableClock();
  const driver = openApp({ clock });
  await put(driver, 'A');
  clock.advance(60_000);
  fake.revokeInstallationTokens();
  await put(driver, 'B');
  expect(tokensMade()).toBe(2);
});

it('A new token that the host does not know yet is retried after a moment.', async () => {
  const driver = openApp();
  await put(driver, 'A');
  fake.fail({ kind: 'credentials', times: 1 });
  await put(driver, 'B');
  expect(tokensMade()).toBe(1);
});

it('The app takes precedence over a token.', async () => {
  await put(openApp({}, { access_token: 'ghp_wrong' }), 'A');
  expect(tokensMade()).toBe(1);
});

it('A missing app is a credentials failure that says how to configure it.', async () => {
  const failure = await failing({ app: async () => undefined });
  expect(failure).toMatchObject({ kind: 'credentials' });
  expect(failure.message).toBe(
    'cannot write secret TOKEN: app "keyferry-sync" is not configured: write sys/sync/github-apps/keyferry-sync',
  );
});

it('An invalid private key is a credentials failure without the key.', async () => {
  for (const pem of ['marker', '-----BEGIN RSA PRIVATE KEY-----\nmarker\n-----END RSA PRIVATE KEY-----']) {
    const failure = await failing({ app: appOf(fake.app.app_id, pem) });
    expect(failure).toMatchObject({ kind: 'credentials' });
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain('marker');
  }
});

it('The private key of another app is a credentials failure without the key.', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const failure = await failing({ app: appOf(fake.app.app_id, privateKey) });
  expect(failure).toMatchObject({ kind: 'credentials' });
  expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(privateKey.split('\n')[1]);
});

it('Another app id and another installation are credentials failures that name what to check.', async () => {
  const wrongApp = await failing({ app: appOf(1, fake.app.private_key) });
  const wrongInstallation = await failing({}, { installation_id: 2 });
  for (const failure of [wrongApp, wrongInstallation]) {
    expect(failure).toMatchObject({ kind: 'credentials' });
    expect(failure.message).toContain('installation_id');
  }
});

it('A throttled request for a token is throttled, not a credentials failure.', async () => {
  fake.fail({ kind: 'throttle', retryAfterSeconds: 3 });
  expect(await failing({})).toMatchObject({ kind: 'throttled', retryAfterMs: 3_000 });
});

it('Two destinations with the same installation number at two hosts do not share a token.', async () => {
  const other = await startFake();
  const first = openApp();
  const second = open(other, other.appDestination);
  await Promise.all([put(first, 'A'), put(second, 'A')]);
  expect([fake.objects().size, other.objects().size]).toEqual([1, 1]);
  await second.close();
  await other.close();
});
