import { openSweeper } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { endProcess } from '../process/end.ts';
import { measured } from '../process/measured.ts';
import { runUntilSignal } from '../process/run.ts';
import { sweepRegularly } from '../process/sweeping.ts';
import { mustUnsealItself } from '../process/unsealing.ts';
import { optionsOf } from '../show/options.ts';

/** Limit for one round. */
const onceMs = 30_000;

/**
 * `npm run sweep`: the rounds of the sweep, as a separate process. `-- --once`: one round, due notifications, disabled mounts, and
 * expired or used-up tokens.
 */
const { once } = optionsOf('sweep', { once: { type: 'boolean', default: false } });

await runUntilSignal(async () => {
  const config = readConfig();
  mustUnsealItself(config, 'sweep');
  const log = openLog(config);
  if (once) {
    const sweeper = await openSweeper({ config, log });
    const inTime = AbortSignal.timeout(onceMs);
    const [swept] = await Promise.all([
      sweeper.run(),
      sweeper.notify(inTime),
      sweeper.ingest(inTime).then(() => sweeper.postStatuses(inTime)),
      sweeper.dropTokens(inTime),
      sweeper.emptyMounts(inTime),
      sweeper.tell(inTime).then(() => sweeper.sendNotices(inTime)),
    ]);
    process.stdout.write(`${JSON.stringify(swept)}\n`);
    await sweeper.close();
    return endProcess(0);
  }
  const sweeper = await measured(config, (metrics) => openSweeper({ config, log, metrics }));
  process.stdout.write('ready sweep\n');
  return { close: await sweepRegularly(sweeper, config.KEYFERRY_SWEEP_MS, log) };
});
