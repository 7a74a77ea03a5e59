import { openApi } from '../lib/app.ts';
import { readConfig } from '../lib/core/config.ts';
import { openLog } from '../lib/core/open-log.ts';
import { runUntilSignal } from './run.ts';

/** `npm run serve`: the API as a process of its own. */
await runUntilSignal(async () => {
  const config = readConfig();
  const api = await openApi({ config, log: openLog(config) });
  const { port } = await api.listen(config.PORT, config.KEYFERRY_HOST);
  const scheme = config.KEYFERRY_TLS_CERT_FILE === undefined ? 'http' : 'https';
  process.stdout.write(`ready ${scheme}://${config.KEYFERRY_HOST}:${port}\n`);
  return api;
});
