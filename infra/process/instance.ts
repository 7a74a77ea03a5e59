import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApi, openSweeper, openWorkers } from '#app.ts';
import { type Config, readConfig, sealOf } from '#core/config.ts';
import type { Log } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver } from '#destinations/load.ts';
import type { Metrics } from '#telemetry/metrics/metrics.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { mustBeFree } from '../local/child.ts';
import { startServices } from '../local/services.ts';
import { apiAddress } from './address.ts';
import { sweepRegularly } from './sweeping.ts';

/** A whole service in one process, for development: API, workers of all types and sweep, with its own PostgreSQL and Redis. */
export interface Instance {
  readonly address: string;
  readonly rootToken: string;
  /** Resolves when it cannot continue: PostgreSQL or Redis could not be kept running. */
  readonly failed: Promise<Error>;
  reload(): void;
  close(): Promise<void>;
}

export interface InstanceOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly log: Log;
  /** Default: its own. */
  readonly metrics?: Metrics;
  /** Default: from the environment. */
  readonly settings?: Config;
  readonly rootToken?: string | undefined;
  /** Milliseconds before the first retry of a failed push. */
  readonly retryMsFirst?: number;
  /** Called with each part that has started. */
  readonly report: (text: string) => void;
}

export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const environment = options.settings ?? readConfig();
  // Checked before anything is started: the usual mistake is to start a second instance.
  await mustBeFree(options.port, environment.KEYFERRY_HOST);
  const given = { databaseUrl: environment.DATABASE_URL, redisUrl: environment.REDIS_URL };
  const services = await startServices(options.dataDir, given, (text) => options.log.warn({}, text));
  options.report('PostgreSQL and Redis are running');
  const ends: (() => Promise<void>)[] = [];
  try {
    const config = await configOf(environment, options, services);
    // One process: `sys/metrics` shows its workers and its sweep too.
    const app = { config, log: options.log, metrics: options.metrics ?? openMetrics() };
    const api = await openApi(app);
    ends.push(api.close);
    const rootToken = await rootTokenOf(options, api.prepareForDevelopment);
    const drivers = await Promise.all(
      definitions.map(async (definition) => ({ definition, openDriver: await loadDriver(definition.type) })),
    );
    ends.push((await openWorkers(app, drivers)).close);
    ends.push(await sweepRegularly(await openSweeper(app), config.KEYFERRY_SWEEP_MS, options.log));
    const { port } = await api.listen(options.port, config.KEYFERRY_HOST);
    options.report('the API and the workers are running');
    const { failed } = services;
    return {
      address: apiAddress(config, port),
      rootToken,
      failed,
      reload: api.reload,
      close: () => closeAll(ends, services.stop),
    };
  } catch (error) {
    await closeAll(ends, services.stop);
    throw error;
  }
}

/** Closes all parts at once, so that one grace period is enough; then PostgreSQL and Redis, even if a part failed. */
async function closeAll(ends: readonly (() => Promise<void>)[], stopServices: () => Promise<void>): Promise<void> {
  const closed = await Promise.allSettled(ends.map((end) => end()));
  await stopServices();
  for (const one of closed) if (one.status === 'rejected') throw one.reason;
}

async function configOf(
  environment: Config,
  options: InstanceOptions,
  services: { readonly databaseUrl: string; readonly redisUrl: string },
): Promise<Config> {
  const given = environment.KEYFERRY_SEAL !== undefined || sealOf(environment).seal.type !== 'shamir';
  const sealKey = given ? {} : { KEYFERRY_SEAL_KEY_FILE: await sealKeyFile(options.dataDir) };
  const retry = options.retryMsFirst === undefined ? {} : { KEYFERRY_SYNC_RETRY_MS_FIRST: options.retryMsFirst };
  // Stand-ins and emulators of developers listen on this machine.
  const network = { KEYFERRY_NETWORK_ALLOWED: environment.KEYFERRY_NETWORK_ALLOWED ?? 'all' };
  return {
    ...environment,
    ...network,
    ...sealKey,
    ...retry,
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
  };
}

/** A key for the automatic seal, generated at the first start. */
async function sealKeyFile(dataDir: string): Promise<string> {
  const file = join(dataDir, 'seal.key');
  await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' }).catch(ignoreExisting);
  return file;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** The token that the first start printed is stored with the data, so that it can be printed again. */
async function rootTokenOf(
  options: InstanceOptions,
  prepare: (rootToken: string | undefined) => Promise<string | undefined>,
): Promise<string> {
  const file = join(options.dataDir, 'root-token');
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  const token = await prepare(options.rootToken ?? (kept === '' ? undefined : kept));
  if (token === undefined) {
    throw new Error(
      `the database is initialised, but ${file} is missing: set KEYFERRY_DEV_ROOT_TOKEN, or remove ${options.dataDir}`,
    );
  }
  if (token !== kept) await writeFile(file, `${token}\n`, { mode: 0o600 });
  return token;
}
