import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { localAgent } from '../local/agent/report.ts';
import { startInstance } from '../process/instance.ts';
import { measured } from '../process/measured.ts';
import { runUntilSignal } from '../process/run.ts';
import { optionsOf } from '../show/options.ts';

optionsOf('start', {});

/** `npm start`: the development server. Data stays in `.data/` between starts. */
await runUntilSignal(async () => {
  const config = readConfig();
  const options = {
    dataDir: config.KEYFERRY_DATA_DIR,
    port: config.PORT,
    log: openLog(config),
    rootToken: config.KEYFERRY_DEV_ROOT_TOKEN,
    report: (text: string) => process.stdout.write(`${text}\n`),
  };
  const instance = await measured(config, (metrics) => startInstance({ ...options, metrics }));
  const agent = config.KEYFERRY_DEV_AGENT ? await localAgent(instance, options.report) : undefined;
  if (config.KEYFERRY_UI) process.stdout.write(`web page ${instance.address}/ui/\n`);
  process.stdout.write(`root token ${instance.rootToken}\nready ${instance.address}\n`);
  return {
    ...instance,
    hangup: instance.reload,
    async close() {
      await agent?.stop();
      await instance.close();
    },
  };
});
