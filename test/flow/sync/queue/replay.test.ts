import { beforeEach, describe, expect, test } from 'vitest';
import { only, statuses } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const other = 'repo-host';
const service = serviceOf([type, other]);

const replay = async (filter: object = {}) => (await service.ask('POST', 'sys/sync/replay', filter)).data['replayed'];

/** A destination with one association that has finally failed. */
async function failed(of = type) {
  const destinationName = await service.destination(of);
  const secret = await service.secret({ key: '1' });
  service.fake(of).fail({ kind: 'denied' });
  expect(statuses(await service.set(of, destinationName, secret))).toEqual(['CLIENT_SIDE_ERROR']);
  service.fake(of).heal();
  const status = async () => {
    await service.untilQuiet();
    return only(await service.associations(of, destinationName)).sync_status;
  };
  return { destinationName, secret, status };
}

beforeEach(async () => {
  await replay();
  await service.untilQuiet();
});

describe('a replay', () => {
  test('without a filter resets all failed syncs, and says how many', async () => {
    const all = [await failed(), await failed(), await failed(other)];
    expect(await replay()).toBe(3);
    expect(await Promise.all(all.map(({ status }) => status()))).toEqual(['SYNCED', 'SYNCED', 'SYNCED']);
    expect(await replay()).toBe(0);
  });

  test('by type leaves the other types alone', async () => {
    const [one, two] = [await failed(), await failed(other)];
    expect(await replay({ type: other })).toBe(1);
    expect([await one.status(), await two.status()]).toEqual(['CLIENT_SIDE_ERROR', 'SYNCED']);
  });

  test('by type accepts the name that existing clients use', async () => {
    await failed();
    await failed(other);
    expect(await replay({ type: 'gh' })).toBe(1);
  });

  test('by name selects only that destination', async () => {
    const [one, two] = [await failed(), await failed()];
    expect(await replay({ name: two.destinationName })).toBe(1);
    expect([await one.status(), await two.status()]).toEqual(['CLIENT_SIDE_ERROR', 'SYNCED']);
  });

  test('by a name that does not exist for the type is refused and resets nothing', async () => {
    const { destinationName, status } = await failed();
    const answer = await service.ask('POST', 'sys/sync/replay', { type: other, name: destinationName });
    expect(answer.status).toBe(400);
    expect(answer.errors.join()).toContain('sys/sync/destinations');
    expect(await status()).toBe('CLIENT_SIDE_ERROR');
  });

  test('by status selects only that status', async () => {
    await failed();
    expect(await replay({ sync_status: 'EXTERNAL_SERVICE_ERROR' })).toBe(0);
    expect(await replay({ sync_status: 'INTERNAL_VAULT_ERROR' })).toBe(0);
    expect(await replay({ sync_status: 'CLIENT_SIDE_ERROR' })).toBe(1);
  });

  test('of SYNCED associations looks at the copies and repairs a missing one', async () => {
    const destinationName = await service.destination(other);
    const secret = await service.secret({ key: '1' });
    const { external_name } = only(await service.set(other, destinationName, secret));
    service.fake(other).change(external_name, 'wrong');
    expect(await replay({ name: destinationName, sync_status: 'SYNCED' })).toBe(1);
    await service.untilQuiet();
    expect(service.fake(other).objects().get(external_name)?.value).toBe('1');
  });

  test.each([
    [{ type: 'cloud-z' }, 'unknown destination type "cloud-z"'],
    [{ sync_status: 'SAD' }, 'unknown sync_status "SAD"'],
    [{ type, name: 'zz' }, 'name: no destination of this type is called "zz"'],
    [{ name: 'zz' }, 'name: no destination is called "zz"'],
  ])('with %o is refused', async (filter, text) => {
    const { status, errors } = await service.ask('POST', 'sys/sync/replay', filter);
    expect(status).toBe(400);
    expect(errors.join()).toContain(text);
  });
});
