import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { only, statuses } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
const types = definitions.filter(({ markless }) => markless !== true).map(({ type }) => type);

describe.each(types)('a copy at %s that another client has replaced', (type) => {
  const theirs = 'the value of another client';

  async function replaced() {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ v: 'first' });
    const { external_name: name } = only(await service.set(type, destinationName, secret));
    service.fake(type).seed(name, theirs);
    const expectForeign = () => expect(service.fake(type).objects().get(name)?.value).toBe(theirs);
    return { destinationName, secret, name, expectForeign };
  }

  const ways = {
    'a write': (_destinationName: string, secret: string) => service.secret({ v: 'second' }, secret),
    'a set': (destinationName: string, secret: string) => service.set(type, destinationName, secret),
    'a replay': (destinationName: string) =>
      service.ask('POST', 'sys/sync/replay', { type, name: destinationName, sync_status: 'SYNCED' }),
  };

  test.each(Object.entries(ways))('is a conflict after %s, and no removal deletes it', async (_how, act) => {
    const { destinationName, secret, expectForeign } = await replaced();
    await act(destinationName, secret);
    const records = await service.until(type, destinationName, secret, (all) => !statuses(all).includes('PENDING'));
    expect(only(records)).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'conflict' } });
    expectForeign();
    await service.remove(type, destinationName, secret);
    expect(await service.associations(type, destinationName, secret)).toEqual([]);
    expectForeign();
  });

  test('stays when the destination is purged', async () => {
    const { destinationName, expectForeign } = await replaced();
    await service.ask('DELETE', `sys/sync/destinations/${type}/${destinationName}?purge=true`);
    await service.untilQuiet();
    expectForeign();
  });

  test('is adopted when the association says so', async () => {
    const { destinationName, secret, name } = await replaced();
    await service.set(type, destinationName, secret, { adopt: true });
    expect(service.fake(type).objects().get(name)?.value).not.toBe(theirs);
  });
});
