import { openApi, openSweeper, openWorkers, type Sweeper } from '#app.ts';
import { silentLog } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver } from '#destinations/load.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import type { OpenService } from '../../support/flow/open-service.ts';
import { testRedis } from '../../support/services.ts';

/** All processes of a service on a restored store, with an empty Redis. */
export interface Copy {
  readonly address: string;
  readonly sweeper: Sweeper;
  close(): Promise<void>;
}

export async function openCopy(service: OpenService, databaseUrl: string, types: readonly string[]): Promise<Copy> {
  const { url, prefix } = testRedis();
  const own = { DATABASE_URL: databaseUrl, REDIS_URL: url, KEYFERRY_REDIS_PREFIX: prefix };
  const config = { ...service.config, ...own };
  const app = { config, log: silentLog, metrics: openMetrics({ process: false }) };
  const destinations = await Promise.all(
    definitions
      .filter(({ type }) => types.includes(type))
      .map(async (definition) => ({ definition, openDriver: await loadDriver(definition.type) })),
  );
  const api = await openApi(app);
  const [workers, sweeper] = [await openWorkers(app, destinations), await openSweeper(app)];
  const { port } = await api.listen(0, '127.0.0.1');
  const close = async () => {
    await workers.close();
    await sweeper.close();
    await api.close();
  };
  return { address: `http://127.0.0.1:${port}`, sweeper, close };
}
