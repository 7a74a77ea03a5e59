import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { newTellState, tell } from '#notices/tell/teller.ts';
import { breaker } from '#queue/gate/calls.ts';
import type { Store } from '#store/store.ts';
import { insertAssociations } from '#test/support/flow/many/associations.ts';
import { wholeReads } from '#test/support/flow/many/whole-reads.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { patience } from '#test/support/measures/patience.ts';
import { askingIn, holderIn, spaceOf } from '../namespaces/spaces.ts';
import { eventsOf, later, tellNow } from './ground.ts';

const type = 'cloud-b-kv';
const service = serviceOf([type], { KEYFERRY_SYNC_ATTEMPTS_MAX: '20' });

afterEach(() => service.ask('PATCH', 'sys/sync/config', { disabled: false, queue_capacity: 1_000_000 }));

/** A destination with a failed sync of a real attempt, and further ones. */
async function failing(more = 0): Promise<string> {
  const name = await service.destination(type);
  service.fake(type).fail({ kind: 'credentials', times: 1_000 });
  await service.set(type, name, await service.secret({ v: '1' }));
  service.fake(type).heal();
  if (more > 0) await failedBeside(name, more);
  return name;
}

/** Further syncs that failed as the one of the destination did. */
async function failedBeside(name: string, count: number): Promise<void> {
  await insertAssociations(service, name, count, 'CLIENT_SIDE_ERROR');
  await sql`
    update associations a set error = b.error from associations b, destinations d
     where d.name = ${name} and a.destination_id = d.id and b.destination_id = d.id and a.error is null and b.error is not null`.execute(
    service.store.db,
  );
}

/** Queues the failed syncs of a destination again, and waits until they are in line. */
async function mended(name: string): Promise<void> {
  await sql`
    delete from associations a using destinations d
     where d.id = a.destination_id and d.name = ${name} and a.secret_name like 'many-of-%'`.execute(service.store.db);
  await service.api.write('sys/sync/replay', { type, name });
  await service.untilQuiet();
}

test('400 failed syncs of a destination are one event, with numbers, kinds, remedies and examples, and their recovery is another', async () => {
  const name = await failing(399);
  await service.tell();
  const [event, ...others] = await eventsOf(service.ask, name);
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    kind: 'destination.failing',
    destination: { type, name },
    failed: 400,
    failed_at_least: false,
    errors: [{ kind: 'credentials', count: 400, remedy: expect.stringContaining('write new credentials') }],
    since: expect.any(String),
    text: expect.stringContaining('400 syncs have failed (credentials 400)'),
  });
  const records = event?.['records'] as readonly string[];
  expect(records).toHaveLength(5);
  for (const id of records)
    expect((await service.ask('GET', `sys/sync/records/${id}`)).data).toMatchObject({ status: 'CLIENT_SIDE_ERROR' });
  await service.tell();
  await later(service);
  await service.tell();
  expect(await eventsOf(service.ask, name)).toHaveLength(1);
  await mended(name);
  await service.tell();
  await service.tell();
  expect((await eventsOf(service.ask, name)).map(({ kind }) => kind)).toEqual([
    'destination.failing',
    'destination.recovered',
  ]);
});

test('growing numbers are told again, later', async () => {
  const name = await failing();
  await tellNow(service);
  service.fake(type).fail({ kind: 'credentials', times: 1_000 });
  await service.set(type, name, await service.secret({ v: '1' }));
  await service.tell();
  expect((await eventsOf(service.ask, name)).map(({ failed }) => failed)).toEqual([1]);
  await later(service);
  await service.tell();
  expect((await eventsOf(service.ask, name)).map(({ failed }) => failed)).toEqual([1, 2]);
});

test('syncs that were mended and fail again are told again, also while another one stays failed', async () => {
  const name = await failing(3);
  await tellNow(service);
  await sql`
    delete from associations a using destinations d
     where d.id = a.destination_id and d.name = ${name} and a.secret_name like 'many-of-%'`.execute(service.store.db);
  await later(service);
  await service.tell();
  expect((await eventsOf(service.ask, name)).map(({ failed }) => failed)).toEqual([4]);
  await failedBeside(name, 3);
  await later(service);
  await service.tell();
  expect((await eventsOf(service.ask, name)).map(({ failed }) => failed)).toEqual([4, 4]);
});

test('a destination that is mended is not told as recovered before its syncs are done', async () => {
  const name = await failing();
  await tellNow(service);
  await service.api.write('sys/sync/config', { disabled: true });
  await service.api.write('sys/sync/replay', { type, name });
  await service.tell();
  expect(await eventsOf(service.ask, name)).toHaveLength(1);
  await service.api.write('sys/sync/config', { disabled: false });
  await service.untilQuiet();
  await service.tell();
  expect(await eventsOf(service.ask, name)).toHaveLength(2);
});

test('several processes that look at the same time tell each event once', async () => {
  const name = await failing();
  await Promise.all([service.tell(), service.tell(), service.tell()]);
  expect(await eventsOf(service.ask, name)).toHaveLength(1);
});

test('a circuit that opens and closes is told', async () => {
  const name = await service.destination(type);
  service.fake(type).fail({ kind: 'unavailable', times: 1_000 });
  const secrets = await Promise.all(Array.from({ length: breaker.sickInRow }, () => service.secret({ v: '1' })));
  const set = Promise.all(secrets.map((secret) => service.set(type, name, secret)));
  const kinds = async () => {
    await service.tell();
    return (await eventsOf(service.ask, name)).map(({ kind }) => kind);
  };
  await eventually(async () => (await kinds()).includes('destination.circuit-opened'));
  service.fake(type).heal();
  await set;
  await service.untilQuiet();
  await eventually(async () => (await kinds()).includes('destination.circuit-closed'));
  expect((await kinds()).filter((kind) => kind.includes('circuit'))).toEqual([
    'destination.circuit-opened',
    'destination.circuit-closed',
  ]);
});

test('a provider that throttles is told once for all syncs, not as a circuit, and so is the end of it', async () => {
  const name = await service.destination(type);
  const secrets = await Promise.all([1, 2, 3].map(() => service.secret({ v: '1' })));
  service.fake(type).fail({ kind: 'throttle', retryAfterSeconds: 15, times: 1_000 });
  const set = Promise.all(secrets.map((secret) => service.set(type, name, secret)));
  const kinds = async () => {
    await service.tell();
    return (await eventsOf(service.ask, name)).map(({ kind }) => kind);
  };
  await eventually(async () => (await kinds()).includes('destination.throttled'));
  expect(await kinds()).toEqual(['destination.throttled']);
  expect(await eventsOf(service.ask, name)).toEqual([
    expect.objectContaining({ since: expect.any(String), open_until: expect.any(String), text: expect.any(String) }),
  ]);
  service.fake(type).heal();
  await forgetGate(name);
  await service.ask('POST', 'sys/sync/replay', { name, sync_status: 'PENDING' });
  await eventually(async () => (await kinds()).includes('destination.unthrottled'));
  await set;
  expect(await kinds()).toEqual(['destination.throttled', 'destination.unthrottled']);
});

/** Lets the time of a gate and its account pass, as Redis does that has lost them. */
async function forgetGate(name: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from destinations where name = ${name}`.execute(
    service.store.db,
  );
  const redis = new Redis(service.config.REDIS_URL ?? '');
  const gate = `${service.config.KEYFERRY_REDIS_PREFIX}:gate:${rows[0]?.id}`;
  await redis.del(gate, (await redis.hget(gate, 'a')) ?? gate);
  redis.disconnect();
}

test('a queue that fills to 80 % and drains below 60 % is told in the root', async () => {
  const name = await service.destination(type);
  await service.api.write('sys/sync/config', { disabled: true, queue_capacity: 10 });
  for (let count = 0; count < 8; count += 1)
    await service.ask('POST', `sys/sync/destinations/${type}/${name}/associations/set`, {
      mount: 'secret',
      secret_name: await service.secret({ v: '1' }),
    });
  const ofQueue = async () => {
    const { data } = await service.ask('GET', 'sys/sync/events?limit=500');
    return (data['events'] as { kind: string }[]).filter(({ kind }) => kind.startsWith('queue.'));
  };
  await service.tell();
  await service.tell();
  expect(await ofQueue()).toEqual([expect.objectContaining({ kind: 'queue.filling', pending: 8, capacity: 10 })]);
  await service.api.write('sys/sync/config', { disabled: false });
  await service.untilQuiet();
  await eventually(async () => {
    await service.tell();
    return (await ofQueue()).length === 2;
  });
  expect((await ofQueue()).map(({ kind }) => kind)).toEqual(['queue.filling', 'queue.drained']);
});

test('a batch that has ended is told once, with its outcomes', async () => {
  const name = await failing();
  const { id } = await service.api.write<{ id: string }>('sys/sync/batches', { action: 'replay', type, name });
  await eventually(async () => {
    await service.sweep();
    return (await service.api.read<{ state: string }>(`sys/sync/batches/${id}`)).state === 'done';
  });
  await service.tell();
  await service.tell();
  const { data } = await service.ask('GET', 'sys/sync/events?limit=500');
  const ended = (data['events'] as { kind: string; batch?: { id: string } }[]).filter(({ batch }) => batch?.id === id);
  expect(ended).toEqual([
    expect.objectContaining({
      kind: 'batch.ended',
      batch: { id, action: 'replay', state: 'done' },
      counts: { synced: 1, unsynced: 0, failed: 0 },
    }),
  ]);
});

test('pages follow each other by `after`, and a request that waits is answered by the next event', async () => {
  for (let count = 0; count < 3; count += 1) await failing();
  await tellNow(service);
  const all = (await service.ask('GET', 'sys/sync/events?limit=500')).data;
  const ids = (all['events'] as { id: string }[]).map(({ id }) => id);
  const paged: string[] = [];
  let after = '';
  for (let page = 0; page <= ids.length; page += 1) {
    const { data } = await service.ask('GET', `sys/sync/events?limit=1&after=${after}`);
    paged.push(...(data['events'] as { id: string }[]).map(({ id }) => id));
    after = String(data['after']);
  }
  expect(paged).toEqual(ids);
  const waiting = service.ask('GET', `sys/sync/events?after=${after}&wait=30s`);
  const name = await failing();
  await tellNow(service);
  expect((await waiting).data['events']).toEqual([expect.objectContaining({ destination: { type, name } })]);
  const last = String((await waiting).data['after']);
  expect((await service.ask('GET', `sys/sync/events?after=${last}&wait=1s`)).data).toEqual({ events: [], after: last });
});

test.each([
  ['after=x', 'after is invalid'],
  ['limit=0', 'limit must be at least 1'],
  ['limit=501', 'limit must be at most 500'],
  ['wait=31s', 'wait must be at most 30'],
])('%s is refused', async (query, text) => {
  const { status, errors } = await service.ask('GET', `sys/sync/events?${query}`);
  expect([status, errors.join()]).toEqual([400, expect.stringContaining(text)]);
});

test('events of destinations whose associations the caller may not read, and those of other namespaces, are not shown', async () => {
  const [open, closed] = [await failing(), await failing()];
  await tellNow(service);
  const { client_token } = await holderIn(
    service,
    { ask: askingIn(service, '') },
    `path "sys/sync/events" { capabilities = ["read"] }
     path "sys/sync/destinations/${type}/${open}/associations" { capabilities = ["read"] }`,
  );
  const headers = { 'x-service-token': client_token };
  const { data } = await service.ask('GET', 'sys/sync/events?limit=500', undefined, { headers });
  const named = (data['events'] as { destination?: { name: string } }[]).flatMap(({ destination }) =>
    destination === undefined ? [] : [destination.name],
  );
  expect(new Set(named)).toEqual(new Set([open]));
  expect(JSON.stringify(data)).not.toContain(closed);
  const space = await spaceOf(service);
  expect((await space.ask('GET', 'sys/sync/events')).data).toEqual({ events: [], after: '0' });
});

test('events older than seven days are deleted by the sweep', async () => {
  const name = await failing();
  await tellNow(service);
  await sql`update sync_events set occurred_at = now() - interval '8 days' where name = ${name}`.execute(
    service.store.db,
  );
  await service.sweep();
  expect(await eventsOf(service.ask, name)).toEqual([]);
});

test('a look at destinations in order reads no associations, and telling goes along indexes', async () => {
  const name = await failing();
  await insertAssociations(service, name, 20_000);
  await sql`vacuum analyze associations`.execute(service.store.db);
  const queue = { gateStates: async () => [], pendingCount: async () => 0 };
  const look = (store: Store) =>
    tell({ store, queue, told() {} }, newTellState(), AbortSignal.timeout(patience.conditionMs));
  expect(await wholeReads(service.store, look)).toBe(0);
  await service.ask('DELETE', `sys/sync/destinations/${type}/${name}?force_delete=true`);
});
