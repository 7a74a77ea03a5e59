import { expect, test } from 'vitest';
import type { CloudASmFake } from '#destinations/cloud-a-sm/fake/index.ts';
import type { RepoHostFake } from '#destinations/repo-host/fake/index.ts';
import { only, statuses } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf(['cloud-a-sm', 'repo-host'], { KEYFERRY_SYNC_ATTEMPTS_MAX: '1' });

const ended = (records: readonly { readonly sync_status: string }[]) => records[0]?.sync_status !== 'PENDING';

test('a tag that was set by a push without an answer is removed when it is no longer wanted', async () => {
  const type = 'cloud-a-sm';
  const fake = service.fake<CloudASmFake>(type);
  const destinationName = await service.destination(type, { custom_tags: { team: 'a' } });
  const secret = await service.secret({ v: '1' });
  const { external_name } = only(await service.set(type, destinationName, secret));

  fake.failOf('TagResource', { kind: 'lost-answer' });
  await service.ask('PATCH', `sys/sync/destinations/${type}/${destinationName}`, { custom_tags: { late: 'b' } });
  expect(statuses(await service.until(type, destinationName, secret, ended))).toEqual(['EXTERNAL_SERVICE_ERROR']);
  expect(fake.objects().get(external_name)?.tags).toMatchObject({ late: 'b' });

  fake.heal();
  await service.ask('PATCH', `sys/sync/destinations/${type}/${destinationName}`, { tags_to_remove: ['late'] });
  await service.untilQuiet();
  expect(fake.objects().get(external_name)?.tags).toMatchObject({ team: 'a' });
  expect(fake.objects().get(external_name)?.tags).not.toHaveProperty('late');
});

test('the old value is pushed again after a newer one was pushed without an answer', async () => {
  const type = 'repo-host';
  const fake = service.fake<RepoHostFake>(type);
  const destinationName = await service.destination(type, { granularity: 'secret-path' });
  // This host dates changes by the second, so both pushes are made within the same second.
  const second = Math.floor(Date.now() / 1_000) * 1_000;
  const setClockBack = () => fake.shiftClock(second - Date.now());
  setClockBack();
  const secret = await service.secret({ v: 'old' });
  const { external_name } = only(await service.set(type, destinationName, secret));

  fake.fail({ kind: 'lost-answer' });
  setClockBack();
  await service.secret({ v: 'new' }, secret);
  expect(statuses(await service.until(type, destinationName, secret, ended))).toEqual(['EXTERNAL_SERVICE_ERROR']);
  expect(fake.objects().get(external_name)?.value).toBe('{"v":"new"}');

  fake.heal();
  await service.secret({ v: 'old' }, secret);
  await service.untilQuiet();
  expect(fake.objects().get(external_name)?.value).toBe('{"v":"old"}');
});
