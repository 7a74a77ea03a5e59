import { describe, expect, test } from 'vitest';
import type { Fault } from '#destinations/fake.ts';
import { only, statuses } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const types = ['repo-host', 'cloud-a-sm'] as const;
const service = serviceOf(types);
const refusals: readonly Fault['kind'][] = ['denied', 'credentials'];
const cases = types.flatMap((type) => refusals.map((refusal) => ({ type, refusal })));

describe.each(cases)('a first put that $type refused with $refusal', ({ type, refusal }) => {
  test('leaves no claim: a later object of another client under the name outlives the association', async () => {
    const destinationName = await service.destination(type, {
      secret_name_template: '{{ .SecretPath }}',
      granularity: 'secret-path',
    });
    const secret = await service.secret({ v: 'ours' }, service.name('REFUSED').replaceAll('-', '_'));
    service.fake(type).fail({ kind: refusal });
    const record = only(await service.set(type, destinationName, secret));
    expect(record.sync_status).not.toBe('SYNCED');
    service.fake(type).heal();
    service.fake(type).seed(secret, 'theirs');
    expect(statuses(await service.remove(type, destinationName, secret))).toEqual(['UNSYNCED']);
    expect(service.fake(type).objects().get(secret)?.value).toBe('theirs');
  });

  test('of an object to adopt leaves no claim on it either', async () => {
    const destinationName = await service.destination(type, {
      secret_name_template: '{{ .SecretPath }}',
      granularity: 'secret-path',
      adopt: true,
    });
    const secret = await service.secret({ v: 'ours' }, service.name('WANTED').replaceAll('-', '_'));
    service.fake(type).seed(secret, 'theirs');
    service.fake(type).fail({ kind: refusal });
    await service.set(type, destinationName, secret);
    service.fake(type).heal();
    expect(statuses(await service.remove(type, destinationName, secret))).toEqual(['UNSYNCED']);
    expect(service.fake(type).objects().get(secret)?.value).toBe('theirs');
  });
});
