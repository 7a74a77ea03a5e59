import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { type Association, only } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const at = (destinationName: string) => `sys/sync/destinations/${type}/${destinationName}`;
const disable = (disabled: boolean) => service.ask('PATCH', 'sys/sync/config', { disabled });

afterEach(() => disable(false));

/** An association whose next attempt is half a minute away, and that of no other test. Nothing is pushed until the test ends. */
async function waiting() {
  const destinationName = await service.destination(type, { rate_group: service.name('group') });
  const secret = await service.secret({ v: '1' });
  await service.set(type, destinationName, secret);
  service.fake(type).fail({ kind: 'throttle', retryAfterSeconds: 30, times: 1 });
  await service.secret({ v: '2' }, secret);
  await service.until(type, destinationName, secret, ([record]) => record?.next_attempt_at != null);
  await disable(true);
  const record = async () => only(await service.associations(type, destinationName, secret));
  const resume = async () => {
    service.fake(type).heal();
    await disable(false);
    await service.ask('DELETE', `${at(destinationName)}?force_delete=true`);
  };
  return { destinationName, secret, record, resume };
}

const fresh: Partial<Association> = { sync_status: 'PENDING', attempts: 0, error: null, next_attempt_at: null };

test.each([
  ['written', async ({ secret }: { secret: string }) => service.secret({ v: '3' }, secret)],
  ['replayed', async () => service.ask('POST', 'sys/sync/replay', { sync_status: 'PENDING' })],
  [
    'set',
    async ({ destinationName, secret }: { destinationName: string; secret: string }) =>
      service.set(type, destinationName, secret),
  ],
  [
    'removed',
    async ({ destinationName, secret }: { destinationName: string; secret: string }) =>
      service.remove(type, destinationName, secret),
  ],
  [
    'purged',
    async ({ destinationName }: { destinationName: string }) =>
      service.ask('DELETE', `${at(destinationName)}?purge=true`),
  ],
] as const)(
  'an association that is %s while it waits does not show the earlier time of its next attempt',
  async (_what, change) => {
    const { destinationName, secret, record, resume } = await waiting();
    expect(Date.parse((await record()).next_attempt_at ?? '')).toBeGreaterThan(Date.now());
    await change({ destinationName, secret });
    expect(await record()).toMatchObject(fresh);
    await resume();
  },
);

test('a time in the past is not shown, even before the attempt', async () => {
  const { record, resume } = await waiting();
  const passed = sql`now() - interval '1 second'`;
  await sql`update associations set next_attempt_at = ${passed} where next_attempt_at is not null`.execute(
    service.store.db,
  );
  expect(await record()).toMatchObject({ sync_status: 'PENDING', attempts: 1, next_attempt_at: null });
  await resume();
});
