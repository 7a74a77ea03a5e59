import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readApiError } from '#destinations/cloud-c-sm/client/api-error.ts';
import { explain } from '#destinations/cloud-c-sm/failure.ts';
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

test('a repeat after a lost answer adds a second version', async () => {
  const { fake, driver } = setting;
  await driver.put(item(), never);
  fake.fail({ kind: 'lost-answer' });
  expect((await failureOf(driver.put(item({ mode: 'update', value: 'new' }), never))).kind).toBe('network');
  fake.heal();
  expect((await driver.put(item({ mode: 'update', value: 'new' }), never)).remoteVersion).toMatch(/^3 /);
});

test('a service that never answers is a timeout', async () => {
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

test('without permission to look, an inspection is unknown', async () => {
  setting.fake.fail({ kind: 'denied' });
  expect(await setting.driver.inspect('any', never)).toBe('unknown');
});

test('an update works without permission to look', async () => {
  const { fake, driver } = setting;
  await driver.put(item(), never);
  fake.fail({ kind: 'denied', times: 1 });
  await driver.put(item({ mode: 'update', value: 'next' }), never);
  fake.fail({ kind: 'denied', times: 1 });
  await driver.put(item({ mode: 'update', name: 'not-there', value: 'next' }), never);
  expect([...fake.objects().values()].map(({ value }) => value)).toEqual(['next', 'next']);
});

test('a foreign project and a wrong key are distinguished', async () => {
  const { fake, open } = setting;
  const foreign = await failureOf(open({ project_id: 'foreign-project' }).put(item(), never));
  expect(foreign.kind).toBe('permission');
  const account: unknown = JSON.parse(String(fake.destination['credentials']));
  const credentials = JSON.stringify({ ...Object(account), private_key_id: 'deleted' });
  const refused = await failureOf(open({ credentials }).put(item(), never));
  expect(refused).toMatchObject({ kind: 'credentials', message: expect.stringContaining('check credentials') });
});

test('credentials are read from a file when needed, and a file that appears later is found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-credentials-'));
  try {
    const file = join(folder, 'key.json');
    const credentialFiles = { folder, endpoints: [setting.fake.url] };
    const driver = setting.open({ credentials: '@key.json' }, { credentialFiles });
    expect(await failureOf(driver.put(item(), never))).toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining('ENOENT'),
    });
    await writeFile(file, `root:x:0:${marker}`);
    const unreadable = await failureOf(driver.put(item(), never));
    expect(unreadable.kind).toBe('credentials');
    secretless(unreadable);
    await writeFile(file, String(setting.fake.destination['credentials']));
    await driver.put(item(), never);
    expect(setting.fake.objects().size).toBe(1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('strict networking blocks the service', async () => {
  const blocked = await failureOf(setting.open({}, { network: strictPolicy }).put(item(), never));
  expect(blocked).toMatchObject({ kind: 'blocked', message: expect.stringContaining('allowed_ipv4_addresses') });
});

test('a closed port is a network failure', async () => {
  const network = { ...contextFor(setting.fake).network, disabled: true };
  const gone = await start();
  await gone.close();
  const closed = await failureOf(setting.open({ endpoint: gone.fake.url }, { network }).put(item(), never));
  expect(closed).toMatchObject({ kind: 'network', message: expect.stringContaining('ECONNREFUSED') });
  // `fetch` refuses some ports itself, with an error without a code.
  const refused = await failureOf(setting.open({ endpoint: 'http://127.0.0.1:1' }, { network }).put(item(), never));
  expect(refused.kind).toBe('network');
});

test('a redirect is not followed', async () => {
  const error = await readApiError(new Response('<html>', { status: 302, headers: { location: '/' } }), true);
  expect(explain(error).kind).toBe('invalid');
});

test('the text of a refused value is not passed on', async () => {
  const body = { error: { status: 'INVALID_ARGUMENT', message: `Invalid value "${marker}"` } };
  const answer = () => new Response(JSON.stringify(body), { status: 400 });
  secretless(explain(await readApiError(answer(), false)));
  expect(explain(await readApiError(answer(), true)).said).toBeDefined();
});

test('a text that is not a documented code is not shown as code or reason', async () => {
  const details = [{ '@type': 'google.rpc.ErrorInfo', reason: marker }];
  const answer = new Response(JSON.stringify({ error: { status: marker, details } }), { status: 400 });
  const failure = explain(await readApiError(answer, true));
  secretless(failure);
  expect(failure.message).toContain('(status 400)');
});

test.each([
  [404, 'NOT_FOUND', 'missing'],
  [400, 'FAILED_PRECONDITION', 'invalid'],
  [504, 'DEADLINE_EXCEEDED', 'timeout'],
  [500, 'INTERNAL', 'unavailable'],
  [409, 'ABORTED', 'unavailable'],
])('status %d with code %s is a failure %s', async (status, code, kind) => {
  const error = await readApiError(new Response(JSON.stringify({ error: { status: code } }), { status }), true);
  expect(explain(new Error('sdk', { cause: error })).kind).toBe(kind);
});

test.each([
  [502, 'unavailable'],
  [429, 'throttled'],
  [401, 'credentials'],
])('a page of a proxy with status %d is a failure %s', async (status, kind) => {
  const answer = new Response('<html>', { status, headers: { 'retry-after': '3' } });
  expect(explain(await readApiError(answer, true))).toMatchObject({ kind, retryAfterMs: 3_000 });
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
