import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Fake } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { loadFake } from '#destinations/load.ts';
import { freePort } from '#infra/local/child.ts';
import { startPostgres } from '#infra/local/postgres/start.ts';
import { startRedis } from '#infra/local/redis/start.ts';
import { type Ended, type Program, runProgram, type Started, startProgram } from '../../support/flow/processes.ts';
import { type Counter, startCounter } from '../counter.ts';

export type Release = 'old' | 'new';

/** A process of one of the releases. */
export interface Running {
  readonly release: Release;
  readonly program: Program;
  readonly started: Started;
}

const prefix = '{rolling}';

/** PostgreSQL, Redis and a stand-in for each type, with processes of two releases. @param folder code of the old release */
export async function openStage(folder: string) {
  const home = await mkdtemp(join(tmpdir(), 'keyferry-rolling-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(home, { recursive: true, force: true })];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end().catch(() => {});
  };
  try {
    const postgres = await startPostgres({ dataDir: join(home, 'postgres') });
    ends.push(() => postgres.stop());
    const redis = await startRedis({ dataDir: join(home, 'redis') });
    ends.push(() => redis.stop());
    const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
    pool.on('error', () => {});
    ends.push(() => pool.end());
    const fakes = await startFakes(ends);
    const environment: Readonly<Record<string, string>> = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      KEYFERRY_REDIS_PREFIX: prefix,
      KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
      KEYFERRY_NETWORK_ALLOWED: 'all',
      KEYFERRY_LOG_LEVEL: 'warn',
      KEYFERRY_SYNC_WAIT_MS: '250',
      KEYFERRY_SWEEP_MS: '500',
      KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '0',
    };
    const all: Running[] = [];
    const root = (release: Release) => (release === 'old' ? { root: folder } : {});
    return {
      ...fakes,
      pool,
      /** Every started process, including ended ones. */
      all,
      async start(release: Release, program: Program): Promise<Running> {
        const own = { ...environment, PORT: String(await freePort()), AWS_SDK_UA_APP_ID: release };
        const started = await startProgram(program, { environment: own, ...root(release) });
        ends.push(() => started.stop());
        const running = { release, program, started };
        all.push(running);
        return running;
      },
      /** Runs a program to its end. */
      async ended(release: Release, program: Program, args: readonly string[] = []): Promise<Ended> {
        const own = { ...environment, PORT: String(await freePort()) };
        return runProgram(program, { args, environment: own, ...root(release) });
      },
      async schemaSteps(): Promise<readonly string[]> {
        const { rows } = await pool.query<{ name: string }>('select name from schema_migrations order by name');
        return rows.map(({ name }) => name);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

interface Fakes {
  readonly fakes: ReadonlyMap<string, Fake>;
  /** Bodies of the destinations, by `<type>/<name>`. */
  readonly destinations: ReadonlyMap<string, object>;
  /** Counts the calls of each release at the one type whose SDK identifies its caller. */
  readonly counter: Counter;
}

const counted = 'cloud-a-sm';

async function startFakes(ends: (() => Promise<unknown>)[]): Promise<Fakes> {
  const fakes = new Map<string, Fake>();
  for (const { type } of definitions) {
    const fake = await (await loadFake(type))();
    ends.push(() => fake.close());
    fakes.set(type, fake);
  }
  const first = fakes.get(counted);
  if (first === undefined) throw new Error(`no stand-in of ${counted}`);
  const counter = await startCounter(first);
  ends.push(() => counter.close());
  const bodyOf = (type: string, fake: Fake): object => (type === counted ? counter.destination : fake.destination);
  const destinations = new Map([...fakes].map(([type, fake]) => [`${type}/rolling`, bodyOf(type, fake)]));
  return { fakes, destinations, counter };
}
