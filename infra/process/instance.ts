import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApi, openSweeper, openWorkers } from '../../lib/app.ts';
import { type Config, readConfig, sealOf } from '../../lib/core/config.ts';
import type { Log } from '../../lib/core/log.ts';
import { definitions } from '../../lib/destinations/index.ts';
import { loadDriver } from '../../lib/destinations/load.ts';
import type { Metrics } from '../../lib/telemetry/metrics/metrics.ts';
import { openMetrics } from '../../lib/telemetry/metrics/open.ts';
import { mustBeFree } from '../local/child.ts';
import { startServices } from '../local/services.ts';
import { apiAddress } from './address.ts';
import { sweepRegularly } from './sweeping.ts';

/** A whole service in one process, for development: API, workers of all types and sweep on services of its own. */
export interface Instance {
  readonly address: string;
  readonly rootToken: string;
  /** Resolves when it cannot go on: a server that it stands on is gone for good. */
  readonly failed: Promise<Error>;
  reload(): void;
  close(): Promise<void>;
}

export interface InstanceOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly log: Log;
  /** Absent: its own. */
  readonly metrics?: Metrics;
  /** Absent: as the environment says. */
  readonly settings?: Config;
  readonly rootToken?: string | undefined;
  /** Milliseconds before a failed push is tried again the first time. */
  readonly retryMsFirst?: number;
  /** Is called with what has been started. */
  readonly report: (text: string) => void;
}

export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const environment = options.settings ?? readConfig();
  // Looked at before anything is started: the usual mistake is a second start beside the first.
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
      ...{ address: apiAddress(config, port), rootToken, failed },
      reload: api.reload,
      close: () => closeAll(ends, services.stop),
    };
  } catch (error) {
    await closeAll(ends, services.stop);
    throw error;
  }
}

/** All parts at once, so that one time of grace is enough; then what they stand on, also when one of them failed. */
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
  // The stand-ins and the emulators of a developer listen on this machine.
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

/** A key for the automatic seal, made at the first start. */
async function sealKeyFile(dataDir: string): Promise<string> {
  const file = join(dataDir, 'seal.key');
  await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' }).catch(ignoreExisting);
  return file;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** The token that was printed at the first start is kept beside the data, so that it can be printed again. */
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
