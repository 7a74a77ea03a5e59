import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groundOf, type, until } from '../../support/flow/ground.ts';
import type { Started } from '../../support/flow/processes.ts';
import { ending } from '../../support/services.ts';

const ground = groundOf();
let redis: Redis;
beforeAll(() => {
  redis = new Redis(ground.environment['REDIS_URL'] ?? '');
  redis.on('error', () => {});
});
afterAll(() => redis.disconnect());

const association = (name: string) => ({ mount: 'secret', secret_name: name });
const setPath = (name: string) => `sys/sync/destinations/${type}/${name}/associations/set`;

async function associate(api: Started, name: string): Promise<void> {
  await ground.destination(api, name);
  await ground.client(api).write(`secret/data/${name}`, { data: { v: 'first' } });
  await ground.client(api).write(setPath(name), association(name));
}

const copies = (name: string): readonly string[] =>
  [...ground.fake.objects()].filter(([at]) => at.includes(name)).map(([, { value }]) => value);

const pending = () => redis.hlen('{keyferry}:pending');
/** Jobs that are ready, or would be if the queue were not paused. */
const jobs = async () => {
  const counts = await Promise.all(['wait', 'paused'].map((list) => redis.llen(`{keyferry}:sync-${type}:${list}`)));
  return counts.reduce((sum, count) => sum + count, 0);
};

describe('an API that is killed between the commit of a change and its queueing', () => {
  test('leaves it to the sweep when Redis had stopped answering', async () => {
    const api = ending(await ground.start('serve'));
    await associate(api, 'stopped');
    const worker = ending(await ground.start('worker'));
    await ground.untilQuiet();
    const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
    process.kill(pid, 'SIGSTOP');
    try {
      const writing = ground.client(api).write('secret/data/stopped', { data: { v: 'second' } });
      writing.catch(() => {});
      await until(async () => (await ground.dirty()) === 1);
      await api.end('SIGKILL');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    ending(await ground.start('sweep'));
    await ground.untilQuiet();
    expect(copies('stopped')).toEqual(['{"v":"second"}']);
    await worker.stop();
  });

  test('leaves it to the sweep when Redis was down', async () => {
    const api = ending(await ground.start('serve'));
    await associate(api, 'away');
    ending(await ground.start('worker'));
    ending(await ground.start('sweep'));
    await ground.untilQuiet();
    await ground.redis.kill();
    const writing = ground.client(api).write('secret/data/away', { data: { v: 'second' } });
    writing.catch(() => {});
    await until(async () => (await ground.dirty()) === 1);
    await api.end('SIGKILL');
    await ground.redis.start();
    await ground.untilQuiet();
    expect(copies('away')).toEqual(['{"v":"second"}']);
  });

  test('during many requests loses no committed change and no capacity of the queue', async () => {
    const api = ending(await ground.start('serve'));
    ending(await ground.start('worker'));
    ending(await ground.start('sweep'));
    await ground.destination(api, 'many');
    const names = Array.from({ length: 40 }, (_, index) => `many-${index}`);
    const client = ground.client(api);
    for (const name of names) await client.write(`secret/data/${name}`, { data: { v: name } });
    const answered: string[] = [];
    const asked = Promise.allSettled(
      names.map(async (name) => {
        await client.write(setPath('many'), association(name));
        answered.push(name);
      }),
    );
    await until(() => answered.length >= 10);
    await api.end('SIGKILL');
    await asked;
    await ground.untilQuiet();
    const rows = await ground.query<{ name: string; status: string }>(
      `select secret_name as name, status from associations where secret_name like 'many-%'`,
    );
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(answered));
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['SYNCED']));
    for (const { name } of rows) expect(copies(name)).toContain(`{"v":"${name}"}`);
    await until(async () => (await pending()) === 0);
  });
});

describe('the capacity of the queue', () => {
  test('is kept exactly by two processes that get requests concurrently', async () => {
    const apis = [ending(await ground.start('serve')), ending(await ground.start('serve'))] as const;
    const [first] = apis;
    const client = ground.client(first);
    await ground.destination(first, 'bounded');
    const names = Array.from({ length: 60 }, (_, index) => `bounded-${index}`);
    await Promise.all(names.map((name) => client.write(`secret/data/${name}`, { data: { v: name } })));
    await until(async () => (await pending()) === 0);
    await client.merge('sys/sync/config', { queue_capacity: 25, disabled: true });
    const answers = await Promise.all(
      names.map((name, index) =>
        ground.ask(apis[index % 2 === 0 ? 0 : 1], 'POST', setPath('bounded'), association(name)),
      ),
    );
    const accepted = names.filter((_, index) => answers[index]?.status === 200);
    const refused = answers.filter(({ status }) => status === 503);
    expect(accepted).toHaveLength(25);
    expect(refused).toHaveLength(35);
    for (const { errors } of refused) expect(errors.join()).toContain('the sync queue is full (queue_capacity 25)');
    const rows = await ground.query<{ name: string }>(
      `select secret_name as name from associations where secret_name like 'bounded-%'`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...accepted].sort());
    expect(await pending()).toBe(25);
    expect(await jobs()).toBe(25);
    // After enabling, the operations complete and free capacity for the others.
    ending(await ground.start('worker'));
    await client.merge('sys/sync/config', { disabled: false });
    await ground.untilQuiet();
    await until(async () => (await pending()) === 0);
    expect((await ground.ask(apis[1], 'POST', setPath('bounded'), association(names.at(-1) ?? ''))).status).toBe(200);
    await ground.untilQuiet();
  });
});
