import { RestError } from '@azure/core-rest-pipeline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { explain } from '#destinations/cloud-b-kv/failure.ts';
import { strictPolicy } from '../../support/network/policy.ts';
import { contextFor, failureOf, item, never, type Setting, start } from './setup.ts';

let setting: Setting;
beforeEach(async () => {
  setting = await start();
});
afterEach(() => setting.close());

const marker = 's3cr3t-m4rker';
const secretless = (error: Error) =>
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(marker);

describe.each([
  ['the first call', false],
  ['a call with a token', true],
])('%s', (_when, warm) => {
  beforeEach(async () => {
    if (warm) await setting.driver.put(item({ name: 'warm' }), never);
  });

  test.each([
    ['throttle', 'throttled'],
    ['unavailable', 'unavailable'],
    ['denied', 'permission'],
    ['credentials', 'credentials'],
    ['reset', 'network'],
    ['lost-answer', 'network'],
  ] as const)('a fault %s is a failure %s, and the next put succeeds', async (fault, kind) => {
    const { fake, driver } = setting;
    fake.fail({ kind: fault, retryAfterSeconds: 7 });
    const failure = await failureOf(driver.put(item(), never));
    expect(failure).toMatchObject({ kind, retryAfterMs: fault === 'throttle' ? 7_000 : undefined });
    secretless(failure);
    fake.heal();
    await driver.put(item({ value: 'next' }), never);
    expect(fake.objects().get(item().name)?.value).toBe('next');
  });

  test('a vault that never answers is a timeout', async () => {
    const { fake, open } = setting;
    const driver = open({}, { timeouts: { connectMs: 5_000, requestMs: 2_000 } });
    fake.fail({ kind: 'hang' });
    expect((await failureOf(driver.put(item(), never))).kind).toBe('timeout');
    fake.heal();
    await driver.put(item(), never);
  });

  test('an abort ends the call at once', async () => {
    const { fake, driver } = setting;
    fake.fail({ kind: 'hang' });
    const abort = new AbortController();
    const failure = failureOf(driver.put(item(), abort.signal));
    abort.abort();
    expect((await failure).kind).toBe('timeout');
    expect((await failureOf(driver.inspect('any', abort.signal))).kind).toBe('timeout');
  });
});

test('a single refusal of the token is solved by a new login within the call', async () => {
  const { fake, driver, open } = setting;
  await driver.put(item(), never);
  fake.fail({ kind: 'credentials', times: 1 });
  expect((await failureOf(open().put(item(), never))).kind).toBe('credentials');
  await driver.put(item({ value: 'next' }), never);
  expect(fake.objects().get(item().name)?.value).toBe('next');
});

test('without permission to look, an inspection is unknown and a create fails', async () => {
  const { fake, driver } = setting;
  fake.fail({ kind: 'denied' });
  expect(await driver.inspect('any', never)).toBe('unknown');
  const failure = await failureOf(driver.put(item(), never));
  expect(failure.kind).toBe('permission');
  expect(failure.requestId).toMatch(/^[\w-]{8,}$/);
});

test.each([
  ['client_secret', 'wrong', 'AADSTS7000215'],
  ['client_id', 'another-client', 'AADSTS700016'],
  ['tenant_id', 'other.example.com', 'AADSTS90002'],
  ['tenant_id', '11111111-2222-3333-4444-555555555555', 'the vault belongs to tenant'],
])('a wrong %s is a credentials failure that names the field', async (field, value, text) => {
  const failure = await failureOf(setting.open({ [field]: value }).put(item(), never));
  expect(failure).toMatchObject({ kind: 'credentials' });
  expect(failure.message).toContain(text);
  expect(failure.message).toContain(field);
});

test('strict networking blocks the vault, and the login too', async () => {
  const { fake, open } = setting;
  const network = { ...strictPolicy, caCertificates: String(fake.destination['tls_ca_cert']) };
  const blocked = await failureOf(open({}, { network }).put(item(), never));
  expect(blocked).toMatchObject({ kind: 'blocked', message: expect.stringContaining('allowed_ipv4_addresses') });
  const elsewhere = open({ authority_host: 'https://127.0.0.1:1' }, { network: contextFor(fake).network });
  expect((await failureOf(elsewhere.put(item(), never))).kind).toBe('blocked');
});

test('a certificate that is not trusted is a network failure that names tls_ca_cert', async () => {
  const failure = await failureOf(setting.open({ tls_ca_cert: undefined }).put(item(), never));
  expect(failure).toMatchObject({ kind: 'network', message: expect.stringContaining('tls_ca_cert') });
});

test('a vault whose host name does not exist is missing, a closed port is a network failure', async () => {
  const { fake, open } = setting;
  const network = { ...contextFor(fake).network, disabled: true };
  const closed = open({ endpoint: 'https://127.0.0.1:1' }, { network });
  expect((await failureOf(closed.put(item(), never))).kind).toBe('network');
  const unknown = open({ endpoint: 'https://vault.invalid' }, { network });
  // Without a name server, the name cannot be known not to exist.
  expect(['missing', 'network']).toContain((await failureOf(unknown.put(item(), never))).kind);
});

test.each(['throttle', 'unavailable', 'reset'] as const)(
  'a fault %s is met once, because the SDK makes no retries',
  async (kind) => {
    const { fake, driver } = setting;
    await driver.put(item(), never);
    const before = new Map(fake.calls());
    fake.fail({ kind });
    await failureOf(driver.put(item({ mode: 'update', value: 'new' }), never));
    const sum = (calls: ReadonlyMap<string, number>) => [...calls.values()].reduce((all, count) => all + count, 0);
    expect(sum(fake.calls()) - sum(before)).toBe(1);
  },
);

test('a text that is not a documented code is not shown', () => {
  const details = { error: { code: marker, innerError: { code: `a ${marker}` } } };
  const error = Object.assign(new RestError('refused', { statusCode: 400 }), { details });
  const failure = explain(error);
  secretless(failure);
  expect(failure.message).toContain('(status 400)');
});
