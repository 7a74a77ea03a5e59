import { z } from 'zod';
import { openApi } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { serveParent } from './parent.ts';

/** The API as it runs in production: a separate process that listens on a port. */
await serveParent(z.object({ databaseUrl: z.string().optional() }), async ({ databaseUrl }) => {
  const own = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const config = { ...readConfig(), ...own };
  const api = await openApi({ config, log: openLog(config) });
  const { port } = await api.listen(0, '127.0.0.1');
  return { ready: { address: `http://127.0.0.1:${port}` }, close: api.close };
});
