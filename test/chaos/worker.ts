import { openWorkers } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver } from '#destinations/load.ts';
import { runUntilSignal } from '#infra/process/run.ts';

/** Workers of all types, as `infra/commands/worker.ts`, but with rate budgets that do not slow a stand-in down. */
const rate = { callsPerSecond: 1_000, burst: 1_000 };

await runUntilSignal(async () => {
  const config = readConfig();
  const destinations = await Promise.all(
    definitions.map(async (definition) => ({
      definition: { ...definition, rate },
      openDriver: await loadDriver(definition.type),
    })),
  );
  const workers = await openWorkers({ config, log: openLog(config) }, destinations);
  process.stdout.write('ready workers\n');
  return workers;
});
