import { openApi } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { apiAddress } from '../process/address.ts';
import { measured } from '../process/measured.ts';
import { runUntilSignal } from '../process/run.ts';
import { firstThing } from '../process/unsealing.ts';
import { optionsOf } from '../show/options.ts';

optionsOf('serve', {});

/** `npm run serve`: the API as a separate process. */
await runUntilSignal(async () => {
  const config = readConfig();
  const log = openLog(config);
  const api = await measured(config, (metrics) => openApi({ config, log, metrics }));
  const { port } = await api.listen(config.PORT, config.KEYFERRY_HOST);
  const address = apiAddress(config, port);
  const todo = firstThing(api.store.seal.status(), address);
  if (todo !== undefined) process.stdout.write(`${todo}\n`);
  process.stdout.write(`ready ${address}\n`);
  return { ...api, hangup: api.reload };
});
