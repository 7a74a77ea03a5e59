import { z } from 'zod';
import { openWorkers } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver } from '#destinations/load.ts';
import { serveParent } from './parent.ts';

/** A worker of all types as it runs in production, with the real drivers. */
await serveParent(z.object({}), async () => {
  const config = readConfig();
  const destinations = await Promise.all(
    definitions.map(async (definition) => ({ definition, openDriver: await loadDriver(definition.type) })),
  );
  const workers = await openWorkers({ config, log: openLog(config) }, destinations);
  return { ready: {}, close: workers.close };
});
