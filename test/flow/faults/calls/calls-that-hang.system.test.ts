import { expect, test } from 'vitest';
import { statuses } from '#test/support/flow/associations.ts';
import { briefCalls, eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type], {
  ...briefCalls,
  KEYFERRY_SYNC_OPERATION_MS_MAX: '3000',
  KEYFERRY_SYNC_WAIT_MS: '1500',
});

test('a set that takes too long returns PENDING and completes later', async () => {
  const destinationName = await service.destination(type);
  const secret = await service.secret({ v: '1' });
  service.fake(type).fail({ kind: 'hang' });
  expect(statuses(await service.set(type, destinationName, secret))).toEqual(['PENDING']);
  service.fake(type).heal();
  await service.untilQuiet();
  expect(statuses(await service.associations(type, destinationName))).toEqual(['SYNCED']);
});

test('disabling the sync returns when the operations in flight have ended', async () => {
  const destinationName = await service.destination(type);
  const secret = await service.secret({ v: '1' });
  service.fake(type).fail({ kind: 'hang' });
  const before = service.calls(type);
  const setting = service.set(type, destinationName, secret);
  await eventually(() => service.calls(type) > before);
  expect((await service.ask('PATCH', 'sys/sync/config', { disabled: true })).status).toBe(200);
  const { rows } = await claimed();
  expect(rows).toEqual([]);
  const calls = service.calls(type);
  service.fake(type).heal();
  expect(statuses(await setting)).toEqual(['PENDING']);
  expect(service.calls(type)).toBe(calls);
  await service.ask('PATCH', 'sys/sync/config', { disabled: false });
  await service.untilQuiet();
  expect(statuses(await service.associations(type, destinationName, secret))).toEqual(['SYNCED']);
});

async function claimed() {
  const { store } = service;
  const rows = await store.db.selectFrom('associations').select('id').where('claimed_by', 'is not', null).execute();
  return { rows };
}
