import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiClient } from '../../infra/demo/client.ts';
import { startFake } from '../../lib/destinations/cloud-a-sm/fake.ts';
import { whatIsKnown } from '../chaos/known.ts';
import { associationsOf } from '../flow/associations.ts';
import { until } from '../flow/faults-ground.ts';
import { type Program, runProgram, type Started, startProgram } from '../flow/processes.ts';
import { testDatabase, testRedis } from '../services.ts';
import { startCounter } from './counter.ts';
import { earlierCode } from './earlier.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const earlier = await earlierCode();
if (typeof earlier === 'string') process.stderr.write(`The upgrade is not tested: ${earlier}\n`);

const type = 'cloud-a-sm';
const path = `sys/sync/destinations/${type}/place`;
const secrets = Array.from({ length: 12 }, (_, index) => `app-${index}`);

describe.skipIf(typeof earlier === 'string')('two releases beside each other', () => {
  const folder = typeof earlier === 'string' ? '' : earlier.folder;
  const ends: (() => Promise<unknown>)[] = [];
  let world: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    world = await open();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = world.environment;
    const known = await whatIsKnown({ databaseUrl, redisUrl, prefix: world.prefix });
    process.stderr.write(`${[...known, ...world.told()].join('\n')}\n`);
  });
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    if (typeof earlier !== 'string') await earlier.close();
  });

  async function open() {
    const { url, prefix } = testRedis();
    const environment = {
      DATABASE_URL: await testDatabase(),
      REDIS_URL: url,
      KEYFERRY_REDIS_PREFIX: prefix,
      KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
      KEYFERRY_SYNC_WAIT_MS: '0',
      KEYFERRY_SWEEP_MS: '300',
      PORT: '0',
    };
    const fake = await startFake();
    ends.push(fake.close);
    const counter = await startCounter(fake);
    ends.push(counter.close);
    const pool = new pg.Pool({ connectionString: environment.DATABASE_URL, max: 2 });
    ends.push(() => pool.end());
    const redis = new Redis(url);
    ends.push(async () => redis.disconnect());
    const processes: { readonly what: string; readonly started: Started }[] = [];
    const start = async (release: 'old' | 'new', program: Program): Promise<Started> => {
      const args = program === 'worker' ? ['--type', type] : [];
      const own = { ...environment, AWS_SDK_UA_APP_ID: release };
      const started = await startProgram(program, {
        args,
        environment: own,
        ...(release === 'old' ? { root: folder } : {}),
      });
      ends.push(started.stop);
      processes.push({ what: `${release} ${program}`, started });
      return started;
    };
    /** The last lines of each process. */
    const told = () =>
      processes.flatMap(({ what, started }) => started.err.slice(-10).map((line) => `${what}: ${line}`));
    return { told, environment, prefix, fake, counter, pool, redis, start };
  }

  let token = '';
  let stepsBefore = 0;
  let round = 0;
  const client = (api: Started) => new ApiClient(api.ready, token);

  /** Writes each secret once more, through these APIs in turn. */
  async function writeAll(...apis: readonly Started[]): Promise<void> {
    round += 1;
    const one = async (secret: string, index: number) => {
      const api = apis[(index + round) % apis.length];
      if (api !== undefined) await client(api).write(`kv/data/${secret}`, { data: { v: `${round}` } });
    };
    await Promise.all(secrets.map(one));
  }

  async function schemaSteps(): Promise<number> {
    const { rows } = await world.pool.query<{ n: number }>('select count(*)::int as n from schema_migrations');
    return rows[0]?.n ?? 0;
  }

  const untilQuiet = () =>
    until(
      async () => {
        const { rows } = await world.pool.query(
          'select 1 from associations where generation > observed_generation limit 1',
        );
        return rows.length === 0;
      },
      () => 'work is left',
    );

  /** Everything is in line, and each of these APIs says so. */
  async function mustBeEqual(...apis: readonly Started[]): Promise<void> {
    await untilQuiet();
    expect([...world.fake.objects().values()].map(({ value }) => value)).toEqual(secrets.map(() => `{"v":"${round}"}`));
    for (const api of apis) {
      const records = associationsOf(await client(api).read(`${path}/associations`));
      expect(records.map(({ sync_status }) => sync_status)).toEqual(secrets.map(() => 'SYNCED'));
    }
    await until(
      async () => (await world.redis.hlen(`${world.prefix}:pending`)) === 0,
      () => 'the pending set is not empty',
    );
  }

  test('work on one store and one queue until the old one is ended, and nothing is lost', async () => {
    const { start, counter } = world;
    const [oldApi, oldWorker] = [await start('old', 'serve'), await start('old', 'worker')];
    const initialised = await fetch(`${oldApi.ready}/v1/sys/init`, { method: 'POST', body: '{}' });
    token = JSON.parse(await initialised.text()).root_token;
    await client(oldApi).write('sys/mounts/kv', { type: 'kv-v2' });
    await client(oldApi).write(path, counter.destination);
    await writeAll(oldApi);
    for (const secret of secrets)
      await client(oldApi).write(`${path}/associations/set`, { mount: 'kv', secret_name: secret });
    await mustBeEqual(oldApi);
    stepsBefore = await schemaSteps();

    const [newApi, newSweep] = [await start('new', 'serve'), await start('new', 'sweep')];
    await writeAll(oldApi, newApi);
    await mustBeEqual(oldApi, newApi);
    const newWorker = await start('new', 'worker');
    const before = { old: counter.calls('old'), new: counter.calls('new') };
    expect(before).toMatchObject({ old: expect.toSatisfy((count) => count > 0), new: 0 });
    await until(async () => {
      await writeAll(oldApi, newApi);
      await mustBeEqual(oldApi, newApi);
      return counter.calls('old') > before.old && counter.calls('new') > 0;
    });

    // Enough failures to close the gate of the destination, of which both speak.
    world.fake.failOf('PutSecretValue', { kind: 'unavailable', times: 7 });
    await writeAll(oldApi, newApi);
    await mustBeEqual(oldApi, newApi);

    for (const [one, other] of [
      [newApi, oldApi],
      [oldApi, newApi],
    ] as const) {
      await change(one, { disabled: true });
      const calls = counter.calls('old') + counter.calls('new');
      await writeAll(oldApi, newApi);
      expect(counter.calls('old') + counter.calls('new')).toBe(calls);
      await change(other, { disabled: false });
      await mustBeEqual(oldApi, newApi);
    }

    await writeAll(oldApi, newApi);
    expect((await oldWorker.end('SIGTERM')).code).toBe(0);
    expect((await oldApi.end('SIGTERM')).code).toBe(0);
    await mustBeEqual(newApi);
    await writeAll(newApi);
    await mustBeEqual(newApi);
    const remove = (secret: string) =>
      client(newApi).write(`${path}/associations/remove`, { mount: 'kv', secret_name: secret });
    await Promise.all(secrets.map(remove));
    await until(() => world.fake.objects().size === 0);
    for (const one of [newWorker, newSweep, newApi]) expect((await one.end('SIGTERM')).code).toBe(0);
  });

  async function change(api: Started, body: object): Promise<void> {
    const answer = await fetch(`${api.ready}/v1/sys/sync/config`, {
      method: 'PATCH',
      headers: { 'x-service-token': token, 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify(body),
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
  }

  test('an old one is not started on a schema that it does not know', async ({ skip }) => {
    const now = await schemaSteps();
    if (now === stepsBefore) skip(`both have the same ${now} schema steps`);
    const { code, err } = await runProgram('worker', { root: folder, environment: world.environment });
    expect([code, err.join('\n')]).toEqual([1, expect.stringContaining('opened by a newer release')]);
  });
});
