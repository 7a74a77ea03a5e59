import { openSweeper } from '../lib/app.ts';
import { readConfig } from '../lib/core/config.ts';
import { openLog } from '../lib/core/open-log.ts';
import { sweepRegularly } from './instance.ts';
import { runUntilSignal } from './run.ts';

/** `npm run sweep`: the rounds of the sweep, as a process of its own. `-- --once`: one round. */
const once = process.argv.includes('--once');

await runUntilSignal(async () => {
  const config = readConfig();
  const log = openLog(config);
  const sweeper = await openSweeper({ config, log });
  if (once) {
    process.stdout.write(`${JSON.stringify(await sweeper.run())}\n`);
    await sweeper.close();
    process.exit(0);
  }
  process.stdout.write('ready sweep\n');
  return { close: await sweepRegularly(sweeper, config.KEYFERRY_SWEEP_MS, log) };
});
