import { expect, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import { ApiError } from '#destinations/cloud-c-sm/client/api-error.ts';
import { destroyOlder } from '#destinations/cloud-c-sm/put/put.ts';
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

test('versions that cannot be destroyed at the moment are left to the next put, with a warning in the log', async () => {
  const lines: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void lines.push(fields) };
  await destroyOlder(service([], { status: 503, code: 'UNAVAILABLE' }), 'name', '10', log);
  expect(lines).toEqual([{ secret: 'name', kind: 'unavailable' }]);
});
