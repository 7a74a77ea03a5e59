import { beforeEach, describe, expect, test } from 'vitest';
import { only, statuses } from '../../support/flow/associations.ts';
import { stageOf } from '../../support/flow/open-service.ts';

const type = 'cloud-a-sm';
const other = 'repo-host';
const stage = stageOf([type, other]);

const replay = async (filter: object = {}) => (await stage.ask('POST', 'sys/sync/replay', filter)).data['replayed'];

/** A destination with one association that has failed for good. */
async function failed(of = type) {
  const place = await stage.destination(of);
  const secret = await stage.secret({ key: '1' });
  stage.fake(of).fail({ kind: 'denied' });
  expect(statuses(await stage.set(of, place, secret))).toEqual(['CLIENT_SIDE_ERROR']);
  stage.fake(of).heal();
  const status = async () => {
    await stage.untilQuiet();
    return only(await stage.associations(of, place)).sync_status;
  };
  return { place, secret, status };
}

beforeEach(async () => {
  await replay();
  await stage.untilQuiet();
});

describe('a replay', () => {
  test('without a filter starts all that failed afresh, and tells how many', async () => {
    const all = [await failed(), await failed(), await failed(other)];
    expect(await replay()).toBe(3);
    expect(await Promise.all(all.map(({ status }) => status()))).toEqual(['SYNCED', 'SYNCED', 'SYNCED']);
    expect(await replay()).toBe(0);
  });

  test('by type leaves the other types', async () => {
    const [one, two] = [await failed(), await failed(other)];
    expect(await replay({ type: other })).toBe(1);
    expect([await one.status(), await two.status()]).toEqual(['CLIENT_SIDE_ERROR', 'SYNCED']);
  });

  test('by the name that existing clients use for a type', async () => {
    await failed();
    await failed(other);
    expect(await replay({ type: 'gh' })).toBe(1);
  });

  test('by name takes that destination alone', async () => {
    const [one, two] = [await failed(), await failed()];
    expect(await replay({ name: two.place })).toBe(1);
    expect([await one.status(), await two.status()]).toEqual(['CLIENT_SIDE_ERROR', 'SYNCED']);
  });

  test('by name and a type that does not have it is refused, and starts nothing', async () => {
    const { place, status } = await failed();
    const answer = await stage.ask('POST', 'sys/sync/replay', { type: other, name: place });
    expect(answer.status).toBe(400);
    expect(answer.errors.join()).toContain('sys/sync/destinations');
    expect(await status()).toBe('CLIENT_SIDE_ERROR');
  });

  test('by status takes that status alone', async () => {
    await failed();
    expect(await replay({ sync_status: 'EXTERNAL_SERVICE_ERROR' })).toBe(0);
    expect(await replay({ sync_status: 'INTERNAL_VAULT_ERROR' })).toBe(0);
    expect(await replay({ sync_status: 'CLIENT_SIDE_ERROR' })).toBe(1);
  });

  test('of what is SYNCED looks at the copies and repairs the one that is gone', async () => {
    const place = await stage.destination(other);
    const secret = await stage.secret({ key: '1' });
    const { external_name } = only(await stage.set(other, place, secret));
    stage.fake(other).seed(external_name, 'wrong');
    expect(await replay({ name: place, sync_status: 'SYNCED' })).toBe(1);
    await stage.untilQuiet();
    expect(stage.fake(other).objects().get(external_name)?.value).toBe('1');
  });

  test.each([
    [{ type: 'cloud-z' }, 'unknown destination type "cloud-z"'],
    [{ sync_status: 'SAD' }, 'unknown sync_status "SAD"'],
    [{ type, name: 'zz' }, 'name: no destination of this type is called "zz"'],
    [{ name: 'zz' }, 'name: no destination is called "zz"'],
  ])('with %o is refused', async (filter, text) => {
    const { status, errors } = await stage.ask('POST', 'sys/sync/replay', filter);
    expect(status).toBe(400);
    expect(errors.join()).toContain(text);
  });
});
