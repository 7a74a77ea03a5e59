import type { Redis } from 'ioredis';
import type { Log } from '#core/log/log.ts';

/** Checks the settings of the server after each connect and warns about those that would lose or refuse operations. */
export function checkServer(redis: Redis, log: Log): void {
  const check = async () => {
    const found = complaints(await redis.info());
    for (const complaint of found) log.warn(complaint, 'Redis is not set up for a queue');
  };
  redis.on('ready', () => {
    check().catch(() => {});
  });
}

export interface Complaint {
  readonly setting: string;
  readonly found: string;
  readonly wanted: string;
}

/** Checks the reply to INFO. A Redis that evicts keys under memory pressure loses jobs. */
export function complaints(info: string): readonly Complaint[] {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const found: Complaint[] = [];
  const policy = field('maxmemory_policy') ?? 'unknown';
  if (policy !== 'noeviction') found.push({ setting: 'maxmemory-policy', found: policy, wanted: 'noeviction' });
  // Valkey reports 7.2 as its Redis version.
  const version = field('redis_version') ?? '6.2';
  if (isOlder(version)) found.push({ setting: 'version', found: version, wanted: '6.2 or newer' });
  return found;
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < 6 || (major === 6 && minor < 2);
}
