import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { only, statuses } from '../../support/flow/associations.ts';
import { serviceOf } from '../../support/flow/open-service.ts';

const hourMs = 3_600_000;
const type = 'deploy-host-project';
/** Longer than a test, so that only the sweep can revive a retry. */
const service = serviceOf([type], {
  KEYFERRY_SYNC_WAIT_MS: '0',
  KEYFERRY_SYNC_RETRY_MS_FIRST: '120000',
  KEYFERRY_SYNC_RETRY_MS_MAX: '120000',
});

let aheadMs = 0;
const realNow = Date.now;
beforeEach(() => {
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
});
afterEach(() => {
  aheadMs = 0;
  vi.restoreAllMocks();
});

test('the next sweep starts a retry that was waiting when the clock was set back by an hour', async () => {
  const destinationName = await service.destination(type);
  const secret = await service.secret({ v: 'the value' });
  aheadMs = hourMs;
  service.fake(type).fail({ kind: 'unavailable', times: 1 });
  await service.set(type, destinationName, secret);
  const waiting = await service.until(
    type,
    destinationName,
    secret,
    ([record]) => (record?.next_attempt_at ?? null) !== null,
  );
  expect(only(waiting).sync_status).toBe('PENDING');
  aheadMs = 0;
  await service.sweep();
  await service.until(type, destinationName, secret, (records) => statuses(records)[0] === 'SYNCED');
});
