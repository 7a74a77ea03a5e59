import { beforeAll } from 'vitest';
import { openApi } from '../../../lib/app.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { openMetrics } from '../../../lib/telemetry/metrics/open.ts';
import type { OpenService } from './open-service.ts';

/** An API on the store of a service that shares no memory with it, as another process has none. Known from `beforeAll` on. */
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
