import { z } from 'zod';
import { openWorkers } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver } from '#destinations/load.ts';
import { serveParent } from './parent.ts';

const parameters = z.object({ types: z.array(z.string()).default(definitions.map(({ type }) => type)) });

/** A worker of all types, or of some, as it runs in production, with the real drivers. */
await serveParent(parameters, async ({ types }) => {
  const config = readConfig();
  const destinations = await Promise.all(
    definitions
      .filter(({ type }) => types.includes(type))
      .map(async (definition) => ({ definition, openDriver: await loadDriver(definition.type) })),
  );
  const workers = await openWorkers({ config, log: openLog(config) }, destinations);
  return { ready: {}, close: workers.close };
});
