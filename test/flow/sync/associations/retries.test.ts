import { beforeEach, describe, expect, test } from 'vitest';
import { only, statuses } from '#test/support/flow/associations.ts';
import { everyType, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf(everyType, { KEYFERRY_SYNC_ATTEMPTS_MAX: '3' });

let destinationName = '';
beforeEach(async () => {
  destinationName = await service.destination(type);
});

describe('a temporary failure', () => {
  test('is retried, PENDING with its error and the attempts counted, until it is SYNCED', async () => {
    const secret = await service.secret({ v: '1' });
    // A time in the past is not shown, so the wait is long enough to be seen.
    service.fake(type).fail({ kind: 'throttle', retryAfterSeconds: 5 });
    const setting = service.set(type, destinationName, secret);
    const seen = only(
      await service.until(type, destinationName, secret, ([record]) => (record?.next_attempt_at ?? null) !== null),
    );
    expect(seen.attempts).toBeGreaterThan(0);
    expect(seen).toMatchObject({
      sync_status: 'PENDING',
      error: { kind: 'throttled' },
      next_attempt_at: expect.any(String),
    });
    expect(seen.error?.message).toContain(seen.external_name);
    service.fake(type).heal();
    expect(only(await setting)).toMatchObject({
      sync_status: 'SYNCED',
      error: null,
      attempts: 0,
      next_attempt_at: null,
    });
  });

  test('twice in a row and then a success is SYNCED', async () => {
    const secret = await service.secret({ v: '1' });
    service.fake(type).fail({ kind: 'unavailable', times: 2 });
    expect(statuses(await service.set(type, destinationName, secret))).toEqual(['SYNCED']);
  });

  test('after the last attempt is a final error that says what happened', async () => {
    const secret = await service.secret({ v: '1' });
    service.fake(type).fail({ kind: 'unavailable' });
    const record = only(await service.set(type, destinationName, secret));
    expect(record).toMatchObject({
      sync_status: 'EXTERNAL_SERVICE_ERROR',
      error: { kind: 'unavailable' },
      attempts: 3,
      next_attempt_at: null,
    });
    // Other tests have left objects here that are looked at.
    const calls = service.calls(type, 'CreateSecret');
    await service.sweep();
    await service.untilQuiet();
    expect(service.calls(type, 'CreateSecret')).toBe(calls);
  });

  test('waits for the Retry-After of the destination', async () => {
    const secret = await service.secret({ v: '1' });
    service.fake(type).fail({ kind: 'throttle', retryAfterSeconds: 2, times: 1 });
    const setting = service.set(type, destinationName, secret);
    const seen = only(await service.until(type, destinationName, secret, ([record]) => (record?.attempts ?? 0) > 0));
    expect(Date.parse(seen.next_attempt_at ?? '') - Date.parse(seen.updated_at)).toBeGreaterThan(1_500);
    expect(only(await setting)).toMatchObject({ sync_status: 'SYNCED' });
  });

  test('of one destination does not delay another of its type with a rate of its own', async () => {
    // Both have a rate of their own: the wait would delay the tests that follow as well.
    const throttled = await service.destination(type, { rate_group: 'throttled' });
    const other = await service.destination(type, { rate_group: 'other' });
    const [sick, well] = [await service.secret({ v: 'sick' }), await service.secret({ v: 'well' })];
    service.fake(type).fail({ kind: 'throttle', retryAfterSeconds: 30, times: 1 });
    const setting = service.set(type, throttled, sick);
    await service.until(type, throttled, sick, ([record]) => (record?.attempts ?? 0) > 0);
    expect(statuses(await service.set(type, other, well))).toEqual(['SYNCED']);
    expect(statuses(await service.associations(type, throttled, sick))).toEqual(['PENDING']);
    await service.ask('DELETE', `sys/sync/destinations/${type}/${throttled}?force_delete=true`);
    await setting;
  });

  test('does not delay a new version, which resets the attempts', async () => {
    const host = await service.destination('cloud-b-kv');
    const secret = await service.secret({ v: '1' });
    await service.set('cloud-b-kv', host, secret);
    service.fake('cloud-b-kv').fail({ kind: 'unavailable' });
    await service.secret({ v: '2' }, secret);
    await service.until('cloud-b-kv', host, secret, ([record]) => (record?.attempts ?? 0) > 0);
    service.fake('cloud-b-kv').heal();
    await service.secret({ v: '3' }, secret);
    await service.untilQuiet();
    const record = only(await service.associations('cloud-b-kv', host));
    expect(record).toMatchObject({ sync_status: 'SYNCED', error: null });
    expect(service.fake('cloud-b-kv').objects().get(record.external_name)?.value).toBe('{"v":"3"}');
  });

  test('of a write whose answer was lost does not make its object look foreign', async () => {
    for (const of of everyType) {
      const host = await service.destination(of);
      const secret = await service.secret({ key: 'value' });
      service.fake(of).fail({ kind: 'lost-answer', times: 1 });
      expect(statuses(await service.set(of, host, secret))).toEqual(['SYNCED']);
    }
  });
});
