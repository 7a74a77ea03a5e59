import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groundOf, type, until } from '#test/support/flow/ground.ts';
import { associateAll } from '#test/support/flow/many/changes.ts';
import type { Started } from '#test/support/flow/processes.ts';
import { ending } from '#test/support/services.ts';

const ground = groundOf();
let api: Started;
let redis: Redis;
beforeAll(async () => {
  redis = new Redis(ground.environment['REDIS_URL'] ?? '');
  redis.on('error', () => {});
  api = await ground.start('serve');
});
afterAll(() => redis.disconnect());

const association = (name: string) => ({ mount: 'secret', secret_name: name });
const setPath = (destination: string) => `sys/sync/destinations/${type}/${destination}/associations/set`;
const configure = (changes: object) => ground.client(api).merge('sys/sync/config', changes);
const write = (name: string, v: string) => ground.client(api).write(`secret/data/${name}`, { data: { v } });
const pending = () => redis.hlen('{keyferry}:pending');
const allCalls = (): number => [...ground.fake.calls().values()].reduce((sum, count) => sum + count, 0);

/** Every copy that is missing or differs from its secret. */
function wrong(names: readonly string[], destinations: number, hint: string, v: string): readonly string[] {
  const objects = ground.fake.objects();
  return Array.from({ length: destinations }, (_, index) => names.map((name) => `${hint}-${index}/${name}`))
    .flat()
    .filter((at) => objects.get(at)?.value !== JSON.stringify({ v }));
}

describe('a Redis that is killed and returns with its data', () => {
  test('while work is pending loses no operation, and what it had not yet written is queued again', async () => {
    await configure({ disabled: true });
    const names = await associateAll(ground, api, { hint: 'again', destinations: 4, secrets: 50 });
    ending(await ground.start('worker'));
    ending(await ground.start('sweep'));
    await until(async () => (await pending()) === 200);
    await configure({ disabled: false });
    await until(async () => (await ground.dirty()) < 150);
    await ground.redis.kill();
    await ground.redis.start();
    await ground.untilQuiet();
    expect(wrong(names, 4, 'again', 'first')).toEqual([]);
    await until(async () => (await pending()) === 0);
  });
});

describe('a Redis that loses all its data', () => {
  test('with thousands of pending operations gets them all back from the sweep, without a call while the sync is disabled', async () => {
    const [destinations, secrets, deleted] = [25, 10, 110];
    const all = destinations * (secrets + deleted);
    await configure({ disabled: true });
    const names = await associateAll(ground, api, { hint: 'flushed', destinations, secrets, deleted });
    ending(await ground.start('worker'));
    const sweep = await ground.start('sweep');
    await until(async () => (await pending()) === all);
    await sweep.stop();
    const calls = allCalls();
    await redis.flushall();
    expect(await pending()).toBe(0);
    // Redis has lost the pause, so the worker takes the job and finds in the store that the sync is disabled.
    await write(names[0] ?? '', 'first');
    await until(async () => (await pending()) === destinations);
    ending(await ground.start('sweep'));
    await until(async () => (await pending()) === all);
    expect(await ground.dirty()).toBe(all);
    expect(allCalls()).toBe(calls);
    await configure({ disabled: false });
    await ground.untilQuiet();
    expect(wrong(names, destinations, 'flushed', 'first')).toEqual([]);
    await until(async () => (await pending()) === 0);
  });

  test('under load gets back what was in flight', async () => {
    await configure({ disabled: true });
    const names = await associateAll(ground, api, { hint: 'midway', destinations: 6, secrets: 50 });
    ending(await ground.start('worker'));
    ending(await ground.start('sweep'));
    await until(async () => (await pending()) === 300);
    await configure({ disabled: false });
    for (const left of [250, 150, 50]) {
      await until(async () => (await ground.dirty()) < left);
      await redis.flushall();
    }
    await ground.untilQuiet();
    expect(wrong(names, 6, 'midway', 'first')).toEqual([]);
    await until(async () => (await pending()) === 0);
  });
});

/** A command in flight may reach its time limit first. */
const redisAway = /^the sync queue cannot be used: Redis (cannot be reached|did not answer in time); try again$/;

describe('while Redis is down', () => {
  test('set and remove get 503 and change nothing, writes warn, reads work, and everything follows later', async () => {
    ending(await ground.start('worker'));
    ending(await ground.start('sweep'));
    await ground.destination(api, 'away');
    await write('away-known', 'first');
    await write('away-new', 'first');
    await ground.client(api).write(setPath('away'), association('away-known'));
    await ground.untilQuiet();
    const before = await ground.query('select * from associations order by id');
    await ground.redis.kill();

    for (const verb of ['set', 'remove']) {
      const path = `sys/sync/destinations/${type}/away/associations/${verb}`;
      const name = verb === 'set' ? 'away-new' : 'away-known';
      const { status, errors } = await ground.ask(api, 'POST', path, association(name));
      expect({ verb, status }).toEqual({ verb, status: 503 });
      expect(errors.join()).toMatch(redisAway);
    }
    expect(await ground.query('select * from associations order by id')).toEqual(before);

    const written = await ground.ask(api, 'POST', 'secret/data/away-known', { data: { v: 'second' } });
    expect(written.status).toBe(200);
    expect(written.warnings.join()).toContain('1 sync operations could not be queued now');
    const read = await ground.ask(api, 'GET', 'secret/data/away-known');
    expect(read.data).toMatchObject({ data: { v: 'second' } });
    const list = await ground.ask(api, 'GET', `sys/sync/destinations/${type}/away/associations`);
    expect(JSON.stringify(list.data)).toContain('PENDING');
    expect((await ground.ask(api, 'GET', 'sys/health')).status).toBe(200);

    await ground.redis.start();
    await ground.untilQuiet();
    const values = [...ground.fake.objects()].filter(([at]) => at.includes('away-')).map(([, { value }]) => value);
    expect(values).toEqual(['{"v":"second"}']);
    expect((await ground.ask(api, 'POST', setPath('away'), association('away-new'))).status).toBe(200);
    await ground.untilQuiet();
  });

  test('a change of the configuration gets 503, takes effect nevertheless, and may be repeated', async () => {
    await ground.destination(api, 'switch');
    await write('switched', 'first');
    await ground.client(api).write(setPath('switch'), association('switched'));
    ending(await ground.start('worker'));
    await ground.untilQuiet();
    await ground.redis.kill();
    const change = (changes: object) => ground.ask(api, 'PATCH', 'sys/sync/config', changes);
    for (const _ of [1, 2]) {
      const { status, errors } = await change({ disabled: true, queue_capacity: 500 });
      expect({ status, errors }).toEqual({
        status: 503,
        errors: [expect.stringMatching(redisAway)],
      });
      const { data } = await ground.ask(api, 'GET', 'sys/sync/config');
      expect(data).toEqual({ disabled: true, queue_capacity: 500 });
    }
    await ground.redis.start();
    await until(async () => (await change({ disabled: true })).status === 200);
    await write('switched', 'second');
    const calls = allCalls();
    await ground.redis.kill();
    expect((await change({ disabled: null, queue_capacity: null })).status).toBe(503);
    await ground.redis.start();
    // The sweep brings Redis in line later.
    ending(await ground.start('sweep'));
    await ground.untilQuiet();
    expect(allCalls()).toBeGreaterThan(calls);
    const values = [...ground.fake.objects()].filter(([at]) => at.includes('switched')).map(([, { value }]) => value);
    expect(values).toEqual(['{"v":"second"}']);
  });
});
