import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect } from 'vitest';
import { startFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { ApiClient } from '#infra/demo/client.ts';
import { whatIsKnown } from '../chaos/model/known.ts';
import { associationsOf } from '../support/flow/associations.ts';
import { until } from '../support/flow/ground.ts';
import { type Program, type Started, startProgram } from '../support/flow/processes.ts';
import { emptyDatabase, testRedis } from '../support/services.ts';
import { startCounter } from './counter.ts';

const type = 'cloud-a-sm';
const destination = `sys/sync/destinations/${type}/place`;
const secrets = Array.from({ length: 12 }, (_, index) => `app-${index}`);

/** The servers that two releases share, and the secrets that are written and associated there. @param folder code of the old release */
export type Ground = Awaited<ReturnType<typeof openGround>>;

export async function openGround(folder: string) {
  const { url, prefix } = testRedis();
  const environment = {
    DATABASE_URL: await emptyDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    KEYFERRY_NETWORK_ALLOWED: 'all',
    KEYFERRY_SYNC_WAIT_MS: '0',
    KEYFERRY_SWEEP_MS: '300',
    PORT: '0',
  };
  const fake = await startFake();
  const counter = await startCounter(fake);
  const pool = new pg.Pool({ connectionString: environment.DATABASE_URL, max: 2 });
  const redis = new Redis(url);
  const processes: { readonly what: string; readonly started: Started }[] = [];
  let token = '';
  let round = 0;

  const count = async (text: string): Promise<number> => (await pool.query<{ n: number }>(text)).rows[0]?.n ?? 0;
  const dirty = () => count('select count(*)::int as n from associations where generation > observed_generation');
  const client = (api: Started) => new ApiClient(api.ready, token);
  const change = (api: Started, verb: 'set' | 'remove') =>
    Promise.all(
      secrets.map((secret) =>
        client(api).write(`${destination}/associations/${verb}`, { mount: 'kv', secret_name: secret }),
      ),
    );
  const ground = {
    environment,
    fake,
    /** The number of calls that the workers of a release have made. */
    calls: (release: 'old' | 'new') => counter.calls(release),
    /** The total number of operations. */
    pending: () => redis.hlen(`${prefix}:pending`),
    schemaSteps: () => count('select count(*)::int as n from schema_migrations'),
    async start(release: 'old' | 'new', program: Program): Promise<Started> {
      const started = await startProgram(program, {
        args: program === 'worker' ? ['--type', type] : [],
        environment: { ...environment, AWS_SDK_UA_APP_ID: release },
        ...(release === 'old' ? { root: folder } : {}),
      });
      processes.push({ what: `${release} ${program}`, started });
      return started;
    },
    /** Initialises the store, creates a mount and a destination, and writes and associates the secrets. */
    async prepare(api: Started): Promise<void> {
      const answer = await fetch(`${api.ready}/v1/sys/init`, { method: 'POST', body: '{}' });
      token = JSON.parse(await answer.text()).root_token;
      await client(api).write('sys/mounts/kv', { type: 'kv-v2' });
      await client(api).write(destination, counter.destination);
      await ground.writeAll(api);
      await change(api, 'set');
    },
    /** Writes each secret once more, through these APIs in turn. Returns how many were written. */
    async writeAll(...apis: readonly Started[]): Promise<number> {
      round += 1;
      const one = async (secret: string, index: number) => {
        const api = apis[(index + round) % apis.length];
        if (api !== undefined) await client(api).write(`kv/data/${secret}`, { data: { v: `${round}` } });
      };
      await Promise.all(secrets.map(one));
      return secrets.length;
    },
    removeAll: (api: Started) => change(api, 'remove'),
    async disable(api: Started, disabled: boolean): Promise<void> {
      const answer = await fetch(`${api.ready}/v1/sys/sync/config`, {
        method: 'PATCH',
        headers: { 'x-service-token': token, 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ disabled }),
      });
      expect(answer.status, await answer.text()).toBe(200);
    },
    /** Waits until nothing is left to do, then checks that the copies match and that each of these APIs says so. */
    async mustBeEqual(...apis: readonly Started[]): Promise<void> {
      await until(
        async () => (await dirty()) === 0,
        () => 'work is left',
      );
      expect([...fake.objects().values()].map(({ value }) => value)).toEqual(secrets.map(() => `{"v":"${round}"}`));
      for (const api of apis) {
        const records = associationsOf(await client(api).read(`${destination}/associations`));
        expect(records.map(({ sync_status }) => sync_status)).toEqual(secrets.map(() => 'SYNCED'));
      }
      await until(
        async () => (await ground.pending()) === 0,
        () => 'the pending set is not empty',
      );
    },
    /** A description of the remaining work, and the last lines of each process. */
    async report(): Promise<string> {
      const known = await whatIsKnown({ databaseUrl: environment.DATABASE_URL, redisUrl: url, prefix });
      const lines = processes.flatMap(({ what, started }) => started.err.slice(-10).map((line) => `${what}: ${line}`));
      return [...known, ...lines, ''].join('\n');
    },
    async close(): Promise<void> {
      await Promise.all(processes.map(({ started }) => started.stop()));
      redis.disconnect();
      await pool.end();
      await counter.close();
      await fake.close();
    },
  };
  return ground;
}
