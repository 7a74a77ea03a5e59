import { openWorkers } from '#app.ts';
import { ConfigError, readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver } from '#destinations/load.ts';
import { measured } from '../process/measured.ts';
import { runUntilSignal } from '../process/run.ts';
import { mustUnsealItself } from '../process/unsealing.ts';
import { optionsOf } from '../show/options.ts';

const { type: names } = optionsOf('worker', { type: { type: 'string', multiple: true } });

/** `npm run worker -- --type <type>`: workers of the named types, or of all types without `--type`. */
await runUntilSignal(async () => {
  const wanted = typesFrom(names);
  const config = readConfig();
  mustUnsealItself(config, 'worker');
  const destinations = await Promise.all(
    wanted.map(async (definition) => ({ definition, openDriver: await loadDriver(definition.type) })),
  );
  const log = openLog(config);
  const workers = await measured(config, (metrics) => openWorkers({ config, log, metrics }, destinations));
  process.stdout.write(`ready ${wanted.map(({ type }) => type).join(' ')}\n`);
  return workers;
});

function typesFrom(given: readonly string[] = definitions.map(({ type }) => type)) {
  return given.map((type) => {
    const found = definitions.find((definition) => definition.type === type || definition.alias === type);
    if (found !== undefined) return found;
    throw new ConfigError(
      `unknown type ${type}; there are ${definitions.map((definition) => definition.type).join(', ')}`,
    );
  });
}
