import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Api, openApi, openSweeper, openWorkers, type Sweeper } from '#app.ts';
import { type Config, readConfig } from '#core/config.ts';
import { AppError } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import type { Fake } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver, loadFake } from '#destinations/load.ts';
import { ApiClient } from '#infra/demo/client.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { patience } from '../measures/patience.ts';
import { testDatabase, testRedis } from '../services.ts';
import { type Association, associationsOf } from './associations.ts';
import { type Answer, type AskOptions, ask } from './calls/ask.ts';
import { wrongCounts } from './counts.ts';

export const everyType = definitions.map(({ type }) => type);

/** The whole service in this process, and the stand-ins it syncs to. A test file opens one, and each test uses its own names. */
export interface OpenService {
  readonly address: string;
  readonly rootToken: string;
  readonly config: Config;
  readonly store: Api['store'];
  /** Throws unless the request succeeds; returns `data`. */
  readonly api: ApiClient;
  /** All log lines, and all answers of the API, since the start. */
  readonly logged: readonly unknown[];
  readonly replies: readonly Answer[];
  fake<F extends Fake = Fake>(type: string): F;
  /** Any request, any answer. `path` is below `/v1/`. */
  ask(method: string, path: string, body?: unknown, options?: AskOptions): Promise<Answer>;
  /** A name that no other test uses. */
  name(hint: string): string;
  /** Creates a destination that reaches the type's stand-in. Returns its name. */
  destination(type: string, changes?: object): Promise<string>;
  /** Writes a version of a secret in `secret/`, of a new secret when no name is given. Returns its name. */
  secret(data: object, name?: string): Promise<string>;
  /** `associations/set` or `remove`; returns the records. */
  set(type: string, destination: string, secret: string, more?: object): Promise<readonly Association[]>;
  remove(type: string, destination: string, secret: string): Promise<readonly Association[]>;
  /** The records of a destination's associations, or of one secret's. */
  associations(type: string, destination: string, secret?: string): Promise<readonly Association[]>;
  /** Waits until the records of a secret satisfy a condition. */
  until(
    type: string,
    destination: string,
    secret: string,
    holds: (records: readonly Association[]) => boolean,
  ): Promise<readonly Association[]>;
  /** Reloads the configuration, as the signal does. */
  reload(): void;
  /** One round of the sweep. */
  sweep(): Promise<object>;
  /** Sends the workspace notifications that are due, as the process of the sweep does. */
  notify(signal?: AbortSignal): Promise<number>;
  /** Fetches the commits that are due, and tells hosts the states of commits, as the process of the sweep does. */
  ingest(signal?: AbortSignal): Promise<number>;
  postStatuses(signal?: AbortSignal): Promise<number>;
  /** Tells what is new of the sync, and sends the notifications that are due, as the process of the sweep does. */
  tell(signal?: AbortSignal): Promise<number>;
  sendNotices(signal?: AbortSignal): Promise<number>;
  /** Waits until every change so far has been synced. */
  untilQuiet(): Promise<void>;
  /** The number of calls to a stand-in since the start, or of one operation's. */
  calls(type: string, operation?: string): number;
}

/** Retries come soon, no limit is reached on a slow machine, and `set` waits as long as it may. */
const settings = {
  KEYFERRY_SYNC_WAIT_MS: '60000',
  KEYFERRY_SYNC_RETRY_MS_FIRST: '40',
  KEYFERRY_SYNC_RETRY_MS_MAX: '200',
  KEYFERRY_SYNC_ATTEMPTS_MAX: '4',
  KEYFERRY_SYNC_CONNECT_MS_MAX: '20000',
  KEYFERRY_SYNC_REQUEST_MS_MAX: '20000',
  KEYFERRY_SYNC_OPERATION_MS_MAX: '30000',
  KEYFERRY_SYNC_LOCK_MS: '60000',
  KEYFERRY_SHUTDOWN_MS_MAX: '3000',
  KEYFERRY_DATABASE_POOL_SIZE: '5',
  KEYFERRY_NETWORK_ALLOWED: 'all',
  // Tests count calls.
  KEYFERRY_SYNC_DRIFT_EVERY_MS: '0',
};

/** For tests of calls that hang: they end soon, but an answered call has enough time. */
export const briefCalls = { KEYFERRY_SYNC_CONNECT_MS_MAX: '3000', KEYFERRY_SYNC_REQUEST_MS_MAX: '3000' };

/** Called at the top of a test file: opens the service for its tests and heals the stand-ins after each. */
export function serviceOf(
  types: readonly string[] = everyType,
  changes: Readonly<Record<string, string>> = {},
): OpenService {
  let opened: OpenStage | undefined;
  const started = (): OpenStage => {
    if (opened === undefined) throw new Error('the service is not open');
    return opened;
  };
  beforeAll(async () => {
    opened = await openWhole(types, changes);
  });
  afterEach(() => {
    for (const fake of opened?.fakes.values() ?? []) fake.heal();
  });
  afterAll(() => opened?.close());
  return new Proxy({} as OpenService, { get: (_target, member) => Reflect.get(started().service, member) });
}

interface OpenStage {
  readonly service: OpenService;
  readonly fakes: ReadonlyMap<string, Fake>;
  close(): Promise<void>;
}

async function openWhole(types: readonly string[], changes: Readonly<Record<string, string>>): Promise<OpenStage> {
  const logged: unknown[] = [];
  const metrics = openMetrics({ process: false });
  const app = { config: await configOf(changes), log: recordingLog(logged), metrics };
  const api = await openApi(app);
  const rootToken = (await api.prepareForDevelopment(undefined)) ?? '';
  const destinations = await Promise.all(
    definitions
      .filter(({ type }) => types.includes(type))
      .map(async (definition) => ({ definition, openDriver: await loadDriver(definition.type) })),
  );
  const workers = await openWorkers(app, destinations);
  const sweeper = await openSweeper(app);
  const { port } = await api.listen(0, '127.0.0.1');
  const fakes = new Map<string, Fake>();
  for (const type of types) fakes.set(type, await (await loadFake(type))());
  const service = stageAround({ app, api, sweeper, rootToken, logged, fakes, address: `http://127.0.0.1:${port}` });
  return {
    service,
    fakes,
    async close() {
      await workers.close();
      await sweeper.close();
      try {
        expect(await wrongCounts(api.store.db).catch(unlessStopped), 'the counts of associations').toEqual([]);
      } finally {
        await api.close();
        await Promise.all([...fakes.values()].map((fake) => fake.close()));
      }
    },
  };
}

/** A test may have stopped its database for good. */
function unlessStopped(error: unknown): readonly never[] {
  if (error instanceof AppError && error.kind === 'unavailable') return [];
  throw error;
}

async function configOf(changes: Readonly<Record<string, string>>): Promise<Config> {
  const { url, prefix } = testRedis();
  return readConfig({
    ...settings,
    DATABASE_URL: await testDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    ...changes,
  });
}

interface Opened {
  readonly app: { readonly config: Config };
  readonly api: Api;
  readonly sweeper: Sweeper;
  readonly rootToken: string;
  readonly logged: readonly unknown[];
  readonly fakes: ReadonlyMap<string, Fake>;
  readonly address: string;
}

function stageAround({ app, api, sweeper, rootToken, logged, fakes, address }: Opened): OpenService {
  const replies: Answer[] = [];
  let names = 0;
  const fakeOf = <F extends Fake>(type: string): F => {
    const fake = fakes.get(type);
    if (fake === undefined) throw new Error(`no stand-in of type ${type} on this service`);
    return fake as F;
  };
  const client = new ApiClient(address, rootToken, patience.conditionMs);
  const change = async (verb: string, type: string, destination: string, secret: string, more: object) => {
    const body = { mount: 'secret', secret_name: secret, ...more };
    return associationsOf(
      await client.write(`sys/sync/destinations/${type}/${destination}/associations/${verb}`, body),
    );
  };
  const service: OpenService = {
    address,
    rootToken,
    config: app.config,
    store: api.store,
    api: client,
    logged,
    replies,
    fake: fakeOf,
    async ask(method, path, body, options) {
      const answer = await ask({ address, token: rootToken, method, path, body, ...options });
      replies.push(answer);
      return answer;
    },
    name(hint) {
      names += 1;
      return `${hint}-${names}`;
    },
    async destination(type, changes = {}) {
      const name = service.name('place');
      await client.write(`sys/sync/destinations/${type}/${name}`, { ...fakeOf(type).destination, ...changes });
      return name;
    },
    async secret(data, name = service.name('secret')) {
      await client.write(`secret/data/${name}`, { data });
      return name;
    },
    set: (type, destination, secret, more = {}) => change('set', type, destination, secret, more),
    remove: (type, destination, secret) => change('remove', type, destination, secret, {}),
    async associations(type, destination, secret) {
      const all = associationsOf(await client.read(`sys/sync/destinations/${type}/${destination}/associations`));
      return secret === undefined ? all : all.filter((record) => record.secret_name === secret);
    },
    async until(type, destination, secret, holds) {
      let records: readonly Association[] = [];
      await eventually(
        async () => {
          records = await service.associations(type, destination, secret);
          return records.length > 0 && holds(records);
        },
        () => JSON.stringify(records),
      );
      return records;
    },
    reload: () => api.reload(),
    sweep: () => sweeper.run(),
    notify: (signal = AbortSignal.timeout(patience.conditionMs)) => sweeper.notify(signal),
    ingest: (signal = AbortSignal.timeout(patience.conditionMs)) => sweeper.ingest(signal),
    postStatuses: (signal = AbortSignal.timeout(patience.conditionMs)) => sweeper.postStatuses(signal),
    tell: (signal = AbortSignal.timeout(patience.conditionMs)) => sweeper.tell(signal),
    sendNotices: (signal = AbortSignal.timeout(patience.conditionMs)) => sweeper.sendNotices(signal),
    untilQuiet: () =>
      eventually(
        () => isQuiet(api.store),
        () => 'operations are left',
      ),
    calls(type, operation) {
      const calls = fakeOf(type).calls();
      if (operation !== undefined) return calls.get(operation) ?? 0;
      return [...calls.values()].reduce((sum, count) => sum + count, 0);
    },
  };
  return service;
}

async function isQuiet({ db }: Api['store']): Promise<boolean> {
  const { rows } = await sql<{ busy: boolean }>`
    select exists(select 1 from associations where generation > observed_generation) or exists(select 1 from markings)
        or exists(select 1 from destinations where purge_initiated_at is not null and purge_error is null) as busy`.execute(
    db,
  );
  return rows[0]?.busy === false;
}

/** Polls until the condition holds. `seen` describes the last state for the error. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  seen: () => string = () => '',
): Promise<void> {
  const deadline = Date.now() + patience.conditionMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${patience.conditionMs} ms; last seen: ${seen()}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

function recordingLog(lines: unknown[]): Log {
  const write = (fields: object, message: string) => {
    lines.push({ ...fields, message });
  };
  return { debug: write, info: write, warn: write, error: write };
}
