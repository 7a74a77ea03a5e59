import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { breaker } from '#queue/gate/calls.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-b-kv';
const service = serviceOf([type], { KEYFERRY_SYNC_ATTEMPTS_MAX: '20' });

interface Overview {
  readonly version: string;
  readonly total: number;
  readonly queue?: object;
  readonly workers?: readonly { readonly type: string; readonly seen: number; readonly last_seen_at: string | null }[];
  readonly destinations: readonly {
    readonly name: string;
    readonly circuit?: string;
    readonly total: number;
    readonly disabled: boolean;
    readonly disabled_until?: string;
    readonly rate?: { readonly limit: number };
  }[];
}

async function read(query = '', headers: Readonly<Record<string, string>> = {}): Promise<Overview> {
  const { status, data, text } = await service.ask('GET', `sys/sync/overview${query}`, undefined, { headers });
  expect(status, text).toBe(200);
  return data as unknown as Overview;
}

const ofDestination = ({ destinations }: Overview, name: string) => destinations.find((one) => one.name === name);

test('the overview has the numbers, the circuit and the rate of each destination', async () => {
  const destination = await service.destination(type);
  await service.set(type, destination, await service.secret({ v: '1' }));
  service.fake(type).fail({ kind: 'denied', times: 100 });
  await service.set(type, destination, await service.secret({ v: '2' }));
  await eventually(async () => ofDestination(await read(), destination)?.total === 2);
  const overview = await read();
  expect(overview).toMatchObject({ disabled: false, queue: { pending: expect.any(Number), capacity: 1_000_000 } });
  expect(ofDestination(overview, destination)).toMatchObject({
    type,
    counts: { SYNCED: 1, CLIENT_SIDE_ERROR: 1 },
    errors: { permission: 1 },
    pending_since: null,
    created_at: expect.any(String),
    circuit: 'closed',
    rate: { calls_per_second: 30, limit: 30, burst: expect.any(Number), available: expect.any(Number) },
  });
});

test('the limit that a throttled call leaves is shown, and not at another account', async () => {
  const name = await service.destination(type, {
    ...service.fake(type).destination,
    rate_group: service.name('group'),
  });
  const other = await service.destination(type, {
    ...service.fake(type).destination,
    rate_group: service.name('group'),
  });
  await service.set(type, other, await service.secret({ v: '1' }));
  service.fake(type).fail({ kind: 'throttle', times: 1, retryAfterSeconds: 1 });
  await service.set(type, name, await service.secret({ v: '1' }));
  const rateOf = async (one: string) => ofDestination(await read(), one)?.rate?.limit;
  await eventually(async () => ((await rateOf(name)) ?? 30) < 29.5);
  expect(await rateOf(other)).toBe(30);
});

test('workers are shown by type, in the root of all types, and when one was last seen makes no new version', async () => {
  await service.destination(type);
  const ours = ({ workers }: Overview) => workers?.find((one) => one.type === type);
  await eventually(async () => ours(await read())?.seen === 1);
  expect((await read()).workers).toContainEqual({ type: 'repo-host', seen: 0, last_seen_at: null });
  await service.untilQuiet();
  await eventually(async () => {
    const before = await read();
    const redis = new Redis(service.config.REDIS_URL ?? '');
    await redis.zincrby(`${service.config.KEYFERRY_REDIS_PREFIX}:workers:${type}`, 1_000, 'last');
    redis.disconnect();
    await eventually(async () => ours(await read())?.last_seen_at !== ours(before)?.last_seen_at);
    const after = await read();
    // Numbers of what other tests began may still have changed.
    return after.version === before.version;
  });
  const namespace = service.name('team');
  await service.api.write(`sys/namespaces/${namespace}`, {});
  expect((await read('', { 'x-service-namespace': namespace })).workers).toEqual([]);
});

test('a paused destination is shown as such', async () => {
  const name = await service.destination(type);
  const at = `sys/sync/destinations/${type}/${name}`;
  const pauseOf = async () => {
    const { disabled, disabled_until } = ofDestination(await read(), name) ?? {};
    return { disabled, disabled_until };
  };
  const until = '2100-01-01T00:00:00.000Z';
  await eventually(async () => (await pauseOf()).disabled === false);
  await service.ask('PATCH', at, { disabled: true, disabled_until: until });
  await eventually(async () => (await pauseOf()).disabled === true);
  expect(await pauseOf()).toEqual({ disabled: true, disabled_until: until });
  await service.ask('PATCH', at, { disabled: false });
  await eventually(async () => (await pauseOf()).disabled === false);
  expect(await pauseOf()).toEqual({ disabled: false });
});

test('an open circuit is shown', async () => {
  const destination = await service.destination(type);
  service.fake(type).fail({ kind: 'unavailable', times: 1_000 });
  const secrets = await Promise.all(Array.from({ length: breaker.sickInRow }, () => service.secret({ v: '1' })));
  const set = Promise.all(secrets.map((secret) => service.set(type, destination, secret)));
  await eventually(async () => ofDestination(await read(), destination)?.circuit !== 'closed');
  service.fake(type).heal();
  await set;
});

test('a request that waits is answered when a number changes, and otherwise at its end with the same version', async () => {
  const destination = await service.destination(type);
  const secret = await service.secret({ v: '1' });
  await service.untilQuiet();
  await eventually(async () => ofDestination(await read(), destination) !== undefined);
  const { version, total } = await read();
  expect((await read(`?since=${version}&wait=1s`)).version).toBe(version);
  const waiting = read(`?since=${version}&wait=30s`);
  await service.set(type, destination, secret);
  await eventually(async () => (await read()).version !== version);
  expect((await waiting).version).not.toBe(version);
  await eventually(async () => (await read()).total === total + 1);
});

test('a reply has its version as an entity tag, and a caller who has it gets 304 without a body', async () => {
  await service.untilQuiet();
  await read();
  const ask = async (tags: string) => {
    const answer = await fetch(`${service.address}/v1/sys/sync/overview`, {
      headers: { 'x-vault-token': service.rootToken, 'if-none-match': tags },
    });
    return { status: answer.status, etag: answer.headers.get('etag'), text: await answer.text() };
  };
  const { status, etag, text } = await ask('"other"');
  expect([status, etag]).toEqual([200, `"${JSON.parse(text).data.version}"`]);
  for (const tags of [String(etag), `"other", W/${etag}`, '*'])
    expect(await ask(tags)).toEqual({ status: 304, etag, text: '' });
});

test.each([
  ['?wait=31s', 'wait must be at most 30'],
  ['?wait=5s', 'wait needs since'],
])('%s is refused', async (query, text) => {
  const { status, errors } = await service.ask('GET', `sys/sync/overview${query}`);
  expect([status, errors.join()]).toEqual([400, expect.stringContaining(text)]);
});

test('destinations whose associations the caller may not read, and those of other namespaces, are not counted', async () => {
  const [open, closed] = [await service.destination(type), await service.destination(type)];
  for (const one of [open, closed]) await service.set(type, one, await service.secret({ v: '1' }));
  await eventually(async () => ofDestination(await read(), closed)?.total === 1);
  const policy = service.name('reader');
  await service.api.write(`sys/policies/acl/${policy}`, {
    policy: `path "sys/sync/overview" { capabilities = ["read"] }
      path "sys/sync/destinations/${type}/${open}/associations" { capabilities = ["read"] }`,
  });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: [policy] });
  const token = (body['auth'] as { readonly client_token: string }).client_token;
  const seen = await read('', { 'x-service-token': token });
  expect([seen.total, seen.destinations.map(({ name }) => name)]).toEqual([1, [open]]);
  const namespace = service.name('team');
  await service.api.write(`sys/namespaces/${namespace}`, {});
  const elsewhere = await read('', { 'x-service-namespace': namespace });
  expect([elsewhere.total, elsewhere.destinations, elsewhere.queue]).toEqual([0, [], undefined]);
});
