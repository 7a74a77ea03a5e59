import { expect, test } from 'vitest';
import { silentLog } from '../../../lib/core/log.ts';
import { ApiError } from '../../../lib/destinations/cloud-c-sm/api-error.ts';
import { destroyOlder } from '../../../lib/destinations/cloud-c-sm/old-versions.ts';
import { failureOf } from './setup.ts';

function service(enabled: readonly string[], problem?: { readonly status: number; readonly code: string }) {
  const destroyed: string[] = [];
  return {
    destroyed,
    enabledVersions: async () => {
      if (problem !== undefined) throw new Error('sdk', { cause: new ApiError({ ...problem, message: '' }) });
      return enabled;
    },
    destroyVersion: async (_name: string, version: string) => void destroyed.push(version),
  };
}

test('versions older than the new one are destroyed, newer ones are not', async () => {
  const secrets = service(['12', '11', '10', '9', '2']);
  await destroyOlder(secrets, 'name', '10', silentLog);
  expect(secrets.destroyed).toEqual(['9', '2']);
});

test('a missing permission to destroy is reported', async () => {
  const denied = service([], { status: 403, code: 'PERMISSION_DENIED' });
  const failure = await failureOf(destroyOlder(denied, 'name', '10', silentLog));
  expect(failure).toMatchObject({ kind: 'permission', message: expect.stringContaining('destroy_old_versions') });
});

test('what cannot be destroyed at the moment is left to the next put, with a line in the log', async () => {
  const lines: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void lines.push(fields) };
  await destroyOlder(service([], { status: 503, code: 'UNAVAILABLE' }), 'name', '10', log);
  expect(lines).toEqual([{ secret: 'name', kind: 'unavailable' }]);
});
