import { beforeAll } from 'vitest';
import { openApi } from '#app.ts';
import { silentLog } from '#core/log/log.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import type { OpenService } from './open-service.ts';

/** A second API on the store of a service, which shares no memory with the first, like another process. Open from `beforeAll` on. */
export function otherProcessOf(service: OpenService): { readonly address: string } {
  const other = { address: '' };
  beforeAll(async () => {
    const api = await openApi({ config: service.config, log: silentLog, metrics: openMetrics({ process: false }) });
    const { port } = await api.listen(0, '127.0.0.1');
    other.address = `http://127.0.0.1:${port}`;
    return () => api.close();
  });
  return other;
}
