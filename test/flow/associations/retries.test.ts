import { beforeEach, describe, expect, test } from 'vitest';
import { only, statuses } from '../../support/flow/associations.ts';
import { everyType, stageOf } from '../../support/flow/open-service.ts';

const type = 'cloud-a-sm';
const stage = stageOf(everyType, { KEYFERRY_SYNC_ATTEMPTS_MAX: '3' });

let place = '';
beforeEach(async () => {
  place = await stage.destination(type);
});

describe('a failure that can pass', () => {
  test('is tried again, PENDING with its error and the attempts counted, until it is SYNCED', async () => {
    const secret = await stage.secret({ v: '1' });
    // A time that has passed is not told, so the wait is long enough to be seen.
    stage.fake(type).fail({ kind: 'throttle', retryAfterSeconds: 5 });
    const setting = stage.set(type, place, secret);
    const seen = only(await stage.until(type, place, secret, ([record]) => (record?.next_attempt_at ?? null) !== null));
    expect(seen.attempts).toBeGreaterThan(0);
    expect(seen).toMatchObject({
      sync_status: 'PENDING',
      error: { kind: 'throttled' },
      next_attempt_at: expect.any(String),
    });
    expect(seen.error?.message).toContain(seen.external_name);
    stage.fake(type).heal();
    expect(only(await setting)).toMatchObject({
      sync_status: 'SYNCED',
      error: null,
      attempts: 0,
      next_attempt_at: null,
    });
  });

  test('twice in a row and then well is SYNCED', async () => {
    const secret = await stage.secret({ v: '1' });
    stage.fake(type).fail({ kind: 'unavailable', times: 2 });
    expect(statuses(await stage.set(type, place, secret))).toEqual(['SYNCED']);
  });

  test('after the last attempt is an error that says what happened, and is not tried again', async () => {
    const secret = await stage.secret({ v: '1' });
    stage.fake(type).fail({ kind: 'unavailable' });
    const record = only(await stage.set(type, place, secret));
    expect(record).toMatchObject({
      sync_status: 'EXTERNAL_SERVICE_ERROR',
      error: { kind: 'unavailable' },
      attempts: 3,
      next_attempt_at: null,
    });
    // Looks are made at what others have left here.
    const calls = stage.calls(type, 'CreateSecret');
    await stage.sweep();
    await stage.untilQuiet();
    expect(stage.calls(type, 'CreateSecret')).toBe(calls);
  });

  test('waits as long as the Retry-After of the destination asks', async () => {
    const secret = await stage.secret({ v: '1' });
    stage.fake(type).fail({ kind: 'throttle', retryAfterSeconds: 2, times: 1 });
    const setting = stage.set(type, place, secret);
    const seen = only(await stage.until(type, place, secret, ([record]) => (record?.attempts ?? 0) > 0));
    expect(Date.parse(seen.next_attempt_at ?? '') - Date.parse(seen.updated_at)).toBeGreaterThan(1_500);
    expect(only(await setting)).toMatchObject({ sync_status: 'SYNCED' });
  });

  test('of one destination does not delay another of its type', async () => {
    const other = await stage.destination(type);
    const [sick, well] = [await stage.secret({ v: 'sick' }), await stage.secret({ v: 'well' })];
    stage.fake(type).fail({ kind: 'throttle', retryAfterSeconds: 30, times: 1 });
    const setting = stage.set(type, place, sick);
    await stage.until(type, place, sick, ([record]) => (record?.attempts ?? 0) > 0);
    expect(statuses(await stage.set(type, other, well))).toEqual(['SYNCED']);
    expect(statuses(await stage.associations(type, place, sick))).toEqual(['PENDING']);
    await stage.ask('DELETE', `sys/sync/destinations/${type}/${place}?force_delete=true`);
    await setting;
  });

  test('a new version starts afresh at once, though a retry is waiting', async () => {
    const host = await stage.destination('cloud-b-kv');
    const secret = await stage.secret({ v: '1' });
    await stage.set('cloud-b-kv', host, secret);
    stage.fake('cloud-b-kv').fail({ kind: 'unavailable' });
    await stage.secret({ v: '2' }, secret);
    await stage.until('cloud-b-kv', host, secret, ([record]) => (record?.attempts ?? 0) > 0);
    stage.fake('cloud-b-kv').heal();
    await stage.secret({ v: '3' }, secret);
    await stage.untilQuiet();
    const record = only(await stage.associations('cloud-b-kv', host));
    expect(record).toMatchObject({ sync_status: 'SYNCED', error: null });
    expect(stage.fake('cloud-b-kv').objects().get(record.external_name)?.value).toBe('{"v":"3"}');
  });

  test("a write whose answer was lost is not taken for somebody else's", async () => {
    for (const of of everyType) {
      const host = await stage.destination(of);
      const secret = await stage.secret({ key: 'value' });
      stage.fake(of).fail({ kind: 'lost-answer', times: 1 });
      expect(statuses(await stage.set(of, host, secret))).toEqual(['SYNCED']);
    }
  });
});
