import { afterEach, describe, expect, test } from 'vitest';
import { only, statuses } from '../../support/flow/associations.ts';
import { eventually, stageOf } from '../../support/flow/open-service.ts';

const type = 'cloud-a-sm';
const stage = stageOf([type]);
const path = 'sys/sync/config';

afterEach(() => stage.ask('DELETE', path));

describe('the configuration of the sync', () => {
  test('starts with the defaults', async () => {
    const { status, body, data } = await stage.ask('GET', path);
    expect(status).toBe(200);
    expect(data).toEqual({ disabled: false, queue_capacity: 1_000_000 });
    expect(body).toMatchObject({ mount_type: 'system' });
  });

  test('changes what a PATCH names, and nothing else', async () => {
    expect((await stage.ask('PATCH', path, { queue_capacity: 7 })).data).toEqual({
      disabled: false,
      queue_capacity: 7,
    });
    expect((await stage.ask('PATCH', path, { disabled: true })).data).toEqual({ disabled: true, queue_capacity: 7 });
    expect((await stage.ask('GET', path)).data).toEqual({ disabled: true, queue_capacity: 7 });
  });

  test('takes bools and numbers as texts', async () => {
    const { data } = await stage.ask('PATCH', path, { disabled: 'true', queue_capacity: '50' });
    expect(data).toEqual({ disabled: true, queue_capacity: 50 });
  });

  test('is set back by DELETE, which answers the defaults', async () => {
    await stage.ask('PATCH', path, { disabled: true, queue_capacity: 7 });
    const { status, data } = await stage.ask('DELETE', path);
    expect(status).toBe(200);
    expect(data).toEqual({ disabled: false, queue_capacity: 1_000_000 });
    expect((await stage.ask('GET', path)).data).toEqual(data);
  });

  test('loses nothing when two clients change different fields at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      await stage.ask('DELETE', path);
      await Promise.all([
        stage.ask('PATCH', path, { queue_capacity: 9 }),
        stage.ask('PATCH', path, { disabled: true }),
      ]);
      expect((await stage.ask('GET', path)).data).toEqual({ disabled: true, queue_capacity: 9 });
    }
  });

  test.each([
    ['queue_capacity', 0, 'at least 1'],
    ['queue_capacity', -5, 'at least 1'],
    ['queue_capacity', 1e12, 'at most 100000000'],
    ['queue_capacity', 'many', 'expected'],
    ['disabled', 'perhaps', 'expected boolean'],
  ])('refuses %s %s and says the rule', async (field, value, rule) => {
    const { status, errors } = await stage.ask('PATCH', path, { [field]: value });
    expect(status).toBe(400);
    expect(errors.join()).toContain(field);
    expect(errors.join()).toContain(rule);
    expect((await stage.ask('GET', path)).data).toEqual({ disabled: false, queue_capacity: 1_000_000 });
  });
});

describe('while the sync is disabled', () => {
  test('set, remove, writes and deletions are accepted as PENDING, nobody is called, and enabling completes them', async () => {
    const place = await stage.destination(type);
    const [removed, written, deleted] = await Promise.all(
      ['1', '2', '3'].map(async (v) => {
        const secret = await stage.secret({ v });
        await stage.set(type, place, secret);
        return secret;
      }),
    );
    const fresh = await stage.secret({ v: 'fresh' });
    await stage.ask('PATCH', path, { disabled: true });
    const before = stage.calls(type);

    expect(statuses(await stage.set(type, place, fresh))).toEqual(['PENDING']);
    expect(statuses(await stage.remove(type, place, removed ?? ''))).toEqual(['PENDING']);
    await stage.secret({ v: 'newer' }, written);
    await stage.ask('DELETE', `secret/data/${deleted}`);
    await stage.sweep();
    expect(statuses(await stage.associations(type, place))).toEqual(['PENDING', 'PENDING', 'PENDING', 'PENDING']);
    expect(stage.calls(type)).toBe(before);

    await stage.ask('PATCH', path, { disabled: false });
    await stage.untilQuiet();
    const after = new Map((await stage.associations(type, place)).map((one) => [one.secret_name, one]));
    expect(after.get(fresh)?.sync_status).toBe('SYNCED');
    expect(after.get(written ?? '')?.sync_status).toBe('SYNCED');
    expect(after.get(deleted ?? '')?.sync_status).toBe('UNSYNCED');
    expect(after.has(removed ?? '')).toBe(false);
    const copies = stage.fake(type).objects();
    expect(copies.get(after.get(fresh)?.external_name ?? '')?.value).toBe('{"v":"fresh"}');
    expect(copies.get(after.get(written ?? '')?.external_name ?? '')?.value).toBe('{"v":"newer"}');
  });

  test('an association that had failed reads PENDING once it is set again', async () => {
    const place = await stage.destination(type);
    const secret = await stage.secret({ v: '1' });
    stage.fake(type).fail({ kind: 'denied' });
    expect(only(await stage.set(type, place, secret)).sync_status).toBe('CLIENT_SIDE_ERROR');
    stage.fake(type).heal();
    await stage.ask('PATCH', path, { disabled: true });
    const record = only(await stage.set(type, place, secret));
    expect(record).toMatchObject({ sync_status: 'PENDING', error: null, attempts: 0 });
    await stage.ask('PATCH', path, { disabled: false });
    await stage.untilQuiet();
    expect(statuses(await stage.associations(type, place, secret))).toEqual(['SYNCED']);
  });

  test('set followed by remove leaves nothing, and the external system was never called', async () => {
    const place = await stage.destination(type);
    const secret = await stage.secret({ v: '1' });
    await stage.ask('PATCH', path, { disabled: true });
    const before = stage.calls(type);
    await stage.set(type, place, secret);
    await stage.remove(type, place, secret);
    await stage.ask('PATCH', path, { disabled: false });
    await stage.untilQuiet();
    expect(await stage.associations(type, place)).toEqual([]);
    expect(stage.calls(type)).toBe(before);
  });

  test('a destination with associations is refused to go as ever, and a purge waits', async () => {
    const place = await stage.destination(type);
    const secret = await stage.secret({ v: '1' });
    await stage.set(type, place, secret);
    const at = `sys/sync/destinations/${type}/${place}`;
    await stage.ask('PATCH', path, { disabled: true });
    const before = stage.calls(type);
    expect((await stage.ask('DELETE', at)).status).toBe(400);
    expect((await stage.ask('DELETE', `${at}?purge=true`)).status).toBe(204);
    await stage.sweep();
    expect((await stage.ask('GET', at)).data).toMatchObject({ purge_initiated_at: expect.any(String) });
    expect(stage.calls(type)).toBe(before);
    await stage.ask('PATCH', path, { disabled: false });
    await eventually(async () => (await stage.ask('GET', at)).status === 404);
  });
});
