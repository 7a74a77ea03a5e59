import { describe, expect, test } from 'vitest';
import { only } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const at = (destinationName: string) => `sys/sync/destinations/${type}/${destinationName}`;
const toGranularity = (destinationName: string, granularity: string) =>
  service.ask('PATCH', at(destinationName), { granularity });

/** The keys of `associated_secrets` without the accessor, each with its object. */
async function shown(destinationName: string): Promise<Record<string, string>> {
  const records = await service.associations(type, destinationName);
  return Object.fromEntries(records.map((one) => [one.key.replace(`${one.accessor}/`, ''), one.external_name]));
}

describe('the key of a record in associated_secrets', () => {
  test('encodes the slash of a secret key, so that it cannot collide with a secret below', async () => {
    const destinationName = await service.destination(type, { granularity: 'secret-key' });
    await service.secret({ 'x/y': '1', '50%': '2', plain: '3' }, 'col');
    await service.secret({ y: '4' }, 'col/x');
    await service.set(type, destinationName, 'col');
    await service.set(type, destinationName, 'col/x');
    expect(Object.keys(await shown(destinationName)).toSorted()).toEqual([
      'col/50%25',
      'col/plain',
      'col/x%2Fy',
      'col/x/y',
    ]);
    // The default template gives both the same name: the conflict has to be visible.
    const { data } = await service.ask('GET', `${at(destinationName)}/associations`);
    expect(data['sync_operation_counters']).toEqual({ SYNCED: 3, CLIENT_SIDE_ERROR: 1 });
    expect(only(await service.associations(type, destinationName, 'col/x'))).toMatchObject({
      error: { kind: 'conflict' },
    });
  });

  test('is distinct where a whole secret and a key of another have the same path', async () => {
    const destinationName = await service.destination(type, { granularity: 'secret-path' });
    await service.secret({ v: '1' }, 'mixed/x');
    await service.secret({ x: '2', z: '3' }, 'mixed');
    const whole = only(await service.set(type, destinationName, 'mixed/x')).external_name;
    await toGranularity(destinationName, 'secret-key');
    await service.ask('PATCH', at(destinationName), { secret_name_template: 'k/{{ .SecretPath }}/{{ .SecretKey }}' });
    await service.set(type, destinationName, 'mixed');
    expect(await shown(destinationName)).toEqual({
      'mixed/x': whole,
      'mixed/x#2': 'k/mixed/x',
      'mixed/z': 'k/mixed/z',
    });
  });
});

test('the destinations of a secret include what an earlier mount at its path has left', async () => {
  const destinationName = await service.destination(type);
  const body = { mount: 'again', secret_name: 'app' };
  const accessors: unknown[] = [];
  for (const v of ['1', '2']) {
    await service.ask('POST', 'sys/mounts/again', { type: 'kv', options: { version: '2' } });
    accessors.push((await service.ask('GET', 'sys/mounts/again')).data['accessor']);
    await service.ask('POST', 'again/data/app', { data: { v } });
    await service.ask('POST', `${at(destinationName)}/associations/set`, body);
    if (v === '1') await service.ask('DELETE', 'sys/mounts/again');
    await service.untilQuiet();
  }
  const { data } = await service.ask('GET', 'sys/sync/associations/again/app');
  expect(data['associated_destinations']).toMatchObject({
    [`${type}/${destinationName}`]: { accessor: accessors[1], sync_status: 'SYNCED' },
    [`${type}/${destinationName}#2`]: { accessor: accessors[0], sync_status: 'UNSYNCED' },
  });
});
