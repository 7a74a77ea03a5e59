import { expect, it } from 'vitest';
import { complaints } from '#queue/redis/server-check.ts';

it.each([
  ['redis_version:7.0.15\r\nmaxmemory_policy:noeviction\r\n', []],
  ['redis_version:6.2.0\r\nmaxmemory_policy:allkeys-lru\r\n', ['maxmemory-policy']],
  ['redis_version:5.0.7\r\nmaxmemory_policy:volatile-ttl\r\n', ['maxmemory-policy', 'version']],
  ['redis_version:7.2.4\r\nvalkey_version:8.1.0\r\nmaxmemory_policy:noeviction\r\n', []],
  // A service that does not report its policy under memory pressure.
  ['redis_version:7.4.0\r\n', ['maxmemory-policy']],
  ['', ['maxmemory-policy']],
])('complains of %j about %j', (info, settings) => {
  expect(complaints(info).map(({ setting }) => setting)).toEqual(settings);
});
