import { afterEach, describe, expect, test } from 'vitest';
import { only, statuses } from '#test/support/flow/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const path = 'sys/sync/config';

afterEach(() => service.ask('DELETE', path));

describe('the configuration of the sync', () => {
  test('starts with the defaults', async () => {
    const { status, body, data } = await service.ask('GET', path);
    expect(status).toBe(200);
    expect(data).toEqual({ disabled: false, queue_capacity: 1_000_000 });
    expect(body).toMatchObject({ mount_type: 'system' });
  });

  test('changes only the fields of a PATCH', async () => {
    expect((await service.ask('PATCH', path, { queue_capacity: 7 })).data).toEqual({
      disabled: false,
      queue_capacity: 7,
    });
    expect((await service.ask('PATCH', path, { disabled: true })).data).toEqual({ disabled: true, queue_capacity: 7 });
    expect((await service.ask('GET', path)).data).toEqual({ disabled: true, queue_capacity: 7 });
  });

  test('accepts booleans and numbers as strings', async () => {
    const { data } = await service.ask('PATCH', path, { disabled: 'true', queue_capacity: '50' });
    expect(data).toEqual({ disabled: true, queue_capacity: 50 });
  });

  test('is reset by DELETE, which returns the defaults', async () => {
    await service.ask('PATCH', path, { disabled: true, queue_capacity: 7 });
    const { status, data } = await service.ask('DELETE', path);
    expect(status).toBe(200);
    expect(data).toEqual({ disabled: false, queue_capacity: 1_000_000 });
    expect((await service.ask('GET', path)).data).toEqual(data);
  });

  test('loses nothing when two clients change different fields at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      await service.ask('DELETE', path);
      await Promise.all([
        service.ask('PATCH', path, { queue_capacity: 9 }),
        service.ask('PATCH', path, { disabled: true }),
      ]);
      expect((await service.ask('GET', path)).data).toEqual({ disabled: true, queue_capacity: 9 });
    }
  });

  test.each([
    ['queue_capacity', 0, 'at least 1'],
    ['queue_capacity', -5, 'at least 1'],
    ['queue_capacity', 1e12, 'at most 100000000'],
    ['queue_capacity', 'many', 'expected'],
    ['disabled', 'perhaps', 'expected boolean'],
  ])('refuses %s %s with the rule', async (field, value, rule) => {
    const { status, errors } = await service.ask('PATCH', path, { [field]: value });
    expect(status).toBe(400);
    expect(errors.join()).toContain(field);
    expect(errors.join()).toContain(rule);
    expect((await service.ask('GET', path)).data).toEqual({ disabled: false, queue_capacity: 1_000_000 });
  });
});

describe('while the sync is disabled', () => {
  test('set, remove, writes and deletions are accepted as PENDING without a call, and enabling completes them', async () => {
    const destinationName = await service.destination(type);
    const [removed, written, deleted] = await Promise.all(
      ['1', '2', '3'].map(async (v) => {
        const secret = await service.secret({ v });
        await service.set(type, destinationName, secret);
        return secret;
      }),
    );
    const fresh = await service.secret({ v: 'fresh' });
    await service.ask('PATCH', path, { disabled: true });
    const before = service.calls(type);

    expect(statuses(await service.set(type, destinationName, fresh))).toEqual(['PENDING']);
    expect(statuses(await service.remove(type, destinationName, removed ?? ''))).toEqual(['PENDING']);
    await service.secret({ v: 'newer' }, written);
    await service.ask('DELETE', `secret/data/${deleted}`);
    await service.sweep();
    expect(statuses(await service.associations(type, destinationName))).toEqual([
      'PENDING',
      'PENDING',
      'PENDING',
      'PENDING',
    ]);
    expect(service.calls(type)).toBe(before);

    await service.ask('PATCH', path, { disabled: false });
    await service.untilQuiet();
    const after = new Map((await service.associations(type, destinationName)).map((one) => [one.secret_name, one]));
    expect(after.get(fresh)?.sync_status).toBe('SYNCED');
    expect(after.get(written ?? '')?.sync_status).toBe('SYNCED');
    expect(after.get(deleted ?? '')?.sync_status).toBe('UNSYNCED');
    expect(after.has(removed ?? '')).toBe(false);
    const copies = service.fake(type).objects();
    expect(copies.get(after.get(fresh)?.external_name ?? '')?.value).toBe('{"v":"fresh"}');
    expect(copies.get(after.get(written ?? '')?.external_name ?? '')?.value).toBe('{"v":"newer"}');
  });

  test('a failed association reads PENDING once it is set again', async () => {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ v: '1' });
    service.fake(type).fail({ kind: 'denied' });
    expect(only(await service.set(type, destinationName, secret)).sync_status).toBe('CLIENT_SIDE_ERROR');
    service.fake(type).heal();
    await service.ask('PATCH', path, { disabled: true });
    const record = only(await service.set(type, destinationName, secret));
    expect(record).toMatchObject({ sync_status: 'PENDING', error: null, attempts: 0 });
    await service.ask('PATCH', path, { disabled: false });
    await service.untilQuiet();
    expect(statuses(await service.associations(type, destinationName, secret))).toEqual(['SYNCED']);
  });

  test('set followed by remove leaves nothing, and the external system was never called', async () => {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ v: '1' });
    await service.ask('PATCH', path, { disabled: true });
    const before = service.calls(type);
    await service.set(type, destinationName, secret);
    await service.remove(type, destinationName, secret);
    await service.ask('PATCH', path, { disabled: false });
    await service.untilQuiet();
    expect(await service.associations(type, destinationName)).toEqual([]);
    expect(service.calls(type)).toBe(before);
  });

  test('the deletion of a destination with associations is still refused, and a purge waits', async () => {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ v: '1' });
    await service.set(type, destinationName, secret);
    const at = `sys/sync/destinations/${type}/${destinationName}`;
    await service.ask('PATCH', path, { disabled: true });
    const before = service.calls(type);
    expect((await service.ask('DELETE', at)).status).toBe(400);
    expect((await service.ask('DELETE', `${at}?purge=true`)).status).toBe(204);
    await service.sweep();
    expect((await service.ask('GET', at)).data).toMatchObject({ purge_initiated_at: expect.any(String) });
    expect(service.calls(type)).toBe(before);
    await service.ask('PATCH', path, { disabled: false });
    await eventually(async () => (await service.ask('GET', at)).status === 404);
  });
});
