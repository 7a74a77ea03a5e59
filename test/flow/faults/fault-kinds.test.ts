import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../lib/destinations/fake.ts';
import { only, statuses } from '../../support/flow/associations.ts';
import { briefCalls, eventually, everyType, stageOf } from '../../support/flow/open-service.ts';

const stage = stageOf(everyType, { KEYFERRY_SYNC_ATTEMPTS_MAX: '2', ...briefCalls });

const external: readonly Fault['kind'][] = ['throttle', 'unavailable', 'hang', 'reset'];
const ours: readonly Fault['kind'][] = ['denied', 'credentials'];

describe.each(everyType)('at a destination of type %s', (of) => {
  test.each([...external, ...ours])(
    'a fault of kind %s ends in its status, and is over when it has passed',
    async (kind) => {
      const host = await stage.destination(of);
      const secret = await stage.secret({ key: 'value' });
      stage.fake(of).fail({ kind, ...(kind === 'throttle' ? { retryAfterSeconds: 0 } : {}) });
      await stage.set(of, host, secret);
      const wanted = external.includes(kind) ? 'EXTERNAL_SERVICE_ERROR' : 'CLIENT_SIDE_ERROR';
      const failed = only(await stage.until(of, host, secret, ([record]) => record?.sync_status !== 'PENDING'));
      expect(failed).toMatchObject({ sync_status: wanted, error: { message: expect.stringMatching(/\w/) } });
      stage.fake(of).heal();
      await stage.ask('POST', 'sys/sync/replay', { type: of, name: host });
      await eventually(async () => statuses(await stage.associations(of, host))[0] === 'SYNCED');
    },
  );
});
