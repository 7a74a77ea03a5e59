import { describe, expect, test } from 'vitest';
import type { Fault } from '#destinations/fake.ts';
import { only, statuses } from '../../support/flow/associations.ts';
import { briefCalls, eventually, everyType, serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf(everyType, { KEYFERRY_SYNC_ATTEMPTS_MAX: '2', ...briefCalls });

const external: readonly Fault['kind'][] = ['throttle', 'unavailable', 'hang', 'reset'];
const ours: readonly Fault['kind'][] = ['denied', 'credentials'];

describe.each(everyType)('at a destination of type %s', (of) => {
  test.each([...external, ...ours])(
    'a fault of kind %s leads to its status, and syncs succeed when it is over',
    async (kind) => {
      const host = await service.destination(of);
      const secret = await service.secret({ key: 'value' });
      service.fake(of).fail({ kind, ...(kind === 'throttle' ? { retryAfterSeconds: 0 } : {}) });
      await service.set(of, host, secret);
      const wanted = external.includes(kind) ? 'EXTERNAL_SERVICE_ERROR' : 'CLIENT_SIDE_ERROR';
      const failed = only(await service.until(of, host, secret, ([record]) => record?.sync_status !== 'PENDING'));
      expect(failed).toMatchObject({ sync_status: wanted, error: { message: expect.stringMatching(/\w/) } });
      service.fake(of).heal();
      await service.ask('POST', 'sys/sync/replay', { type: of, name: host });
      await eventually(async () => statuses(await service.associations(of, host))[0] === 'SYNCED');
    },
  );
});
