import { join } from 'node:path';
import { done, type Filling } from './world.ts';

/** Audit devices, quotas, settings, and an unfinished generation of a root token from key shares. */
export const system: Filling = {
  tables: ['seal', 'settings', 'quotas', 'audit_devices', 'audit_headers', 'key_attempts'],
  async fill(world) {
    world.kept.set('audit file', join(world.folder, 'audit.log'));
    await done(world, 'POST', 'sys/audit/file', {
      type: 'file',
      options: { file_path: join(world.folder, 'audit.log') },
    });
    await done(world, 'POST', 'sys/config/auditing/request-headers/x-forwarded-for', { hmac: true });
    await done(world, 'POST', 'sys/quotas/rate-limit/slow', { rate: 1_000, path: 'moved' });
    await done(world, 'POST', 'sys/quotas/lease-count/few', { max_leases: 1_000 });
    await done(world, 'POST', 'sys/quotas/config', { enable_rate_limit_response_headers: true });
    await done(world, 'POST', 'sys/generate-root/attempt', {});
  },
};
