import { expect, test } from 'vitest';
import { statuses } from '../../support/flow/associations.ts';
import { briefCalls, eventually, stageOf } from '../../support/flow/open-service.ts';

const type = 'cloud-a-sm';
const stage = stageOf([type], { ...briefCalls, KEYFERRY_SYNC_OPERATION_MS_MAX: '3000', KEYFERRY_SYNC_WAIT_MS: '1500' });

test('set that takes too long answers PENDING and completes', async () => {
  const place = await stage.destination(type);
  const secret = await stage.secret({ v: '1' });
  stage.fake(type).fail({ kind: 'hang' });
  expect(statuses(await stage.set(type, place, secret))).toEqual(['PENDING']);
  stage.fake(type).heal();
  await stage.untilQuiet();
  expect(statuses(await stage.associations(type, place))).toEqual(['SYNCED']);
});

test('disabling the sync answers when operations under way have ended', async () => {
  const place = await stage.destination(type);
  const secret = await stage.secret({ v: '1' });
  stage.fake(type).fail({ kind: 'hang' });
  const before = stage.calls(type);
  const setting = stage.set(type, place, secret);
  await eventually(() => stage.calls(type) > before);
  expect((await stage.ask('PATCH', 'sys/sync/config', { disabled: true })).status).toBe(200);
  const { rows } = await claimed();
  expect(rows).toEqual([]);
  const calls = stage.calls(type);
  stage.fake(type).heal();
  expect(statuses(await setting)).toEqual(['PENDING']);
  expect(stage.calls(type)).toBe(calls);
  await stage.ask('PATCH', 'sys/sync/config', { disabled: false });
  await stage.untilQuiet();
  expect(statuses(await stage.associations(type, place, secret))).toEqual(['SYNCED']);
});

async function claimed() {
  const { store } = stage;
  const rows = await store.db.selectFrom('associations').select('id').where('claimed_by', 'is not', null).execute();
  return { rows };
}
