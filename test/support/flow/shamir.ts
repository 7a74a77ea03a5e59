import { afterAll, beforeAll } from 'vitest';
import { type Api, openApi } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { testDatabase, testRedis } from '../services.ts';
import { type Answer, ask } from './calls/ask.ts';

/** Two API processes on one store that is unsealed by key shares. They share nothing but the store and Redis. */
export interface ShamirService {
  readonly rootToken: string;
  readonly databaseUrl: string;
  readonly addresses: readonly string[];
  /** The current shares in hex; with the automatic seal, those of the recovery key. A test that replaces them updates this list. */
  keys: readonly string[];
  /** Sends a request to one process, without a token unless one is given. */
  ask(process: number, method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  /** Stops both processes and starts them again, sealed. */
  restart(): Promise<void>;
  unseal(): Promise<void>;
}

/** Call it at the top of a test file. */
export function shamirService(
  changes: Readonly<Record<string, string>> = {},
  init: object | 'not-yet' = { secret_shares: 3, secret_threshold: 2 },
): ShamirService {
  const service = { rootToken: '', databaseUrl: '', addresses: [] as string[], keys: [] as readonly string[] };
  let environment: Record<string, string> = {};
  let apis: Api[] = [];
  const start = async () => {
    apis = await Promise.all([0, 1].map(() => openApi({ config: readConfig(environment), ...quiet() })));
    const ports = await Promise.all(apis.map((api) => api.listen(0, '127.0.0.1')));
    service.addresses = ports.map(({ port }) => `http://127.0.0.1:${port}`);
  };
  const stop = () => Promise.all(apis.map((api) => api.close()));
  const asked: ShamirService['ask'] = (process, method, path, body, token = '') =>
    ask({ address: service.addresses[process] ?? '', token, method, path, body });
  const unseal = async () => {
    if ('KEYFERRY_SEAL_KEY' in changes) return;
    for (const process of [0, 1]) for (const key of service.keys) await asked(process, 'PUT', 'sys/unseal', { key });
  };
  beforeAll(async () => {
    const { url, prefix } = testRedis();
    const own = { DATABASE_URL: await testDatabase(), REDIS_URL: url, KEYFERRY_REDIS_PREFIX: prefix };
    environment = { ...own, KEYFERRY_DATABASE_POOL_SIZE: '5', KEYFERRY_SHUTDOWN_MS_MAX: '3000', ...changes };
    service.databaseUrl = own.DATABASE_URL;
    await start();
    if (init === 'not-yet') return;
    const { body } = await asked(0, 'PUT', 'sys/init', init);
    service.keys = (body['recovery_keys'] ?? body['keys']) as string[];
    service.rootToken = String(body['root_token']);
    await unseal();
  });
  afterAll(stop);
  const restart = async () => {
    await stop();
    await start();
  };
  return Object.assign(service, { ask: asked, unseal, restart });
}

const quiet = () => ({ log: silentLog, metrics: openMetrics({ process: false }) });
