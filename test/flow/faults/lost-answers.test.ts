import { expect, test } from 'vitest';
import type { CloudASmFake } from '../../../lib/destinations/cloud-a-sm/fake/index.ts';
import type { RepoHostFake } from '../../../lib/destinations/repo-host/fake/index.ts';
import { only, statuses } from '../../support/flow/associations.ts';
import { stageOf } from '../../support/flow/open-service.ts';

const stage = stageOf(['cloud-a-sm', 'repo-host'], { KEYFERRY_SYNC_ATTEMPTS_MAX: '1' });

const ended = (records: readonly { readonly sync_status: string }[]) => records[0]?.sync_status !== 'PENDING';

test('a tag that was set by a push without an answer is taken away when it is no longer wanted', async () => {
  const type = 'cloud-a-sm';
  const fake = stage.fake<CloudASmFake>(type);
  const place = await stage.destination(type, { custom_tags: { team: 'a' } });
  const secret = await stage.secret({ v: '1' });
  const { external_name } = only(await stage.set(type, place, secret));

  fake.failOf('TagResource', { kind: 'lost-answer' });
  await stage.ask('PATCH', `sys/sync/destinations/${type}/${place}`, { custom_tags: { late: 'b' } });
  expect(statuses(await stage.until(type, place, secret, ended))).toEqual(['EXTERNAL_SERVICE_ERROR']);
  expect(fake.objects().get(external_name)?.tags).toMatchObject({ late: 'b' });

  fake.heal();
  await stage.ask('PATCH', `sys/sync/destinations/${type}/${place}`, { tags_to_remove: ['late'] });
  await stage.untilQuiet();
  expect(fake.objects().get(external_name)?.tags).toMatchObject({ team: 'a' });
  expect(fake.objects().get(external_name)?.tags).not.toHaveProperty('late');
});

test('the old value is pushed again after a newer one was pushed without an answer', async () => {
  const type = 'repo-host';
  const fake = stage.fake<RepoHostFake>(type);
  const place = await stage.destination(type, { granularity: 'secret-path' });
  // This host tells a change by the second: both pushes are made to fall into the same one.
  const second = Math.floor(Date.now() / 1_000) * 1_000;
  const turnBack = () => fake.shiftClock(second - Date.now());
  turnBack();
  const secret = await stage.secret({ v: 'old' });
  const { external_name } = only(await stage.set(type, place, secret));

  fake.fail({ kind: 'lost-answer' });
  turnBack();
  await stage.secret({ v: 'new' }, secret);
  expect(statuses(await stage.until(type, place, secret, ended))).toEqual(['EXTERNAL_SERVICE_ERROR']);
  expect(fake.objects().get(external_name)?.value).toBe('{"v":"new"}');

  fake.heal();
  await stage.secret({ v: 'old' }, secret);
  await stage.untilQuiet();
  expect(fake.objects().get(external_name)?.value).toBe('{"v":"old"}');
});
