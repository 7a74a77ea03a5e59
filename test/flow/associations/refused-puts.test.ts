import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../lib/destinations/fake.ts';
import { only, statuses } from '../../support/flow/associations.ts';
import { stageOf } from '../../support/flow/open-service.ts';

const types = ['repo-host', 'cloud-a-sm'] as const;
const stage = stageOf(types);
const refusals: readonly Fault['kind'][] = ['denied', 'credentials'];
const cases = types.flatMap((type) => refusals.map((refusal) => ({ type, refusal })));

describe.each(cases)('a first put that $type answered with $refusal', ({ type, refusal }) => {
  test('leaves no claim: what somebody else makes under the name later outlives the association', async () => {
    const place = await stage.destination(type, {
      secret_name_template: '{{ .SecretPath }}',
      granularity: 'secret-path',
    });
    const secret = await stage.secret({ v: 'ours' }, stage.name('REFUSED').replaceAll('-', '_'));
    stage.fake(type).fail({ kind: refusal });
    const record = only(await stage.set(type, place, secret));
    expect(record.sync_status).not.toBe('SYNCED');
    stage.fake(type).heal();
    stage.fake(type).seed(secret, 'theirs');
    expect(statuses(await stage.remove(type, place, secret))).toEqual(['UNSYNCED']);
    expect(stage.fake(type).objects().get(secret)?.value).toBe('theirs');
  });

  test('of an object to be adopted leaves no claim on it either', async () => {
    const place = await stage.destination(type, {
      secret_name_template: '{{ .SecretPath }}',
      granularity: 'secret-path',
      adopt: true,
    });
    const secret = await stage.secret({ v: 'ours' }, stage.name('WANTED').replaceAll('-', '_'));
    stage.fake(type).seed(secret, 'theirs');
    stage.fake(type).fail({ kind: refusal });
    await stage.set(type, place, secret);
    stage.fake(type).heal();
    expect(statuses(await stage.remove(type, place, secret))).toEqual(['UNSYNCED']);
    expect(stage.fake(type).objects().get(secret)?.value).toBe('theirs');
  });
});
