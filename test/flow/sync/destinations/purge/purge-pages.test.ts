import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countAssociations, insertAssociations } from '#test/support/flow/many/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const marked = sql`a.desired = 'absent' and a.generation > a.observed_generation`;

let destinationName = '';
const at = () => `sys/sync/destinations/${type}/${destinationName}`;
const status = async () => (await service.ask('GET', at())).status;
/** Deletes associations as workers do after they have removed the copies. */
const removeMarked = () => sql`delete from associations a where ${marked}`.execute(service.store.db);
const mark = async (count: number) =>
  eventually(
    async () => {
      await service.sweep();
      return (await countAssociations(service, destinationName, marked)) >= count;
    },
    () => 'not all were marked',
  );

beforeEach(async () => {
  destinationName = await service.destination(type);
  await service.ask('PATCH', 'sys/sync/config', { disabled: true });
});
afterEach(async () => {
  await service.ask('DELETE', `${at()}?force_delete=true`);
  await service.ask('DELETE', 'sys/sync/config');
});

describe('a purge of many associations', () => {
  test('marks the first thousand in the request, and the sweep marks the rest page by page', async () => {
    await insertAssociations(service, destinationName, 10_500);
    expect((await service.ask('DELETE', `${at()}?purge=true`)).status).toBe(204);
    expect(await countAssociations(service, destinationName, marked)).toBe(1_000);
    await service.sweep();
    const afterOne = await countAssociations(service, destinationName, marked);
    expect(afterOne).toBeGreaterThan(1_000);
    expect(afterOne).toBeLessThan(10_500);
    await mark(10_500);
    expect(await countAssociations(service, destinationName, sql`a.generation <> 2`)).toBe(0);
  });

  test('does not end before the last one is marked and removed, even if workers are faster than the sweep', async () => {
    await insertAssociations(service, destinationName, 11_500);
    await service.ask('DELETE', `${at()}?purge=true`);
    await removeMarked();
    expect(await status()).toBe(200);
    await service.sweep();
    await removeMarked();
    expect(await countAssociations(service, destinationName)).toBeGreaterThan(0);
    expect(await status()).toBe(200);
    await eventually(async () => {
      await service.sweep();
      await removeMarked();
      return (await status()) === 404;
    });
  });

  test('that is repeated marks those that could not be removed again, each exactly once', async () => {
    await insertAssociations(service, destinationName, 2_300);
    await service.ask('DELETE', `${at()}?purge=true`);
    await mark(2_300);
    await sql`update associations a set observed_generation = generation, status = 'CLIENT_SIDE_ERROR', updated_at = now()
                from destinations d where d.id = a.destination_id and d.name = ${destinationName}`.execute(
      service.store.db,
    );
    await sql`update destinations set purge_error = 'denied' where name = ${destinationName}`.execute(service.store.db);
    await service.sweep();
    expect(await countAssociations(service, destinationName, marked)).toBe(0);
    await service.ask('DELETE', `${at()}?purge=true`);
    await mark(2_300);
    await service.sweep();
    expect(await countAssociations(service, destinationName, sql`a.generation <> 3`)).toBe(0);
  });

  test('skips locked associations and marks them later', async () => {
    await insertAssociations(service, destinationName, 1_200);
    await service.store.db.transaction().execute(async (tx) => {
      await sql`select 1 from associations where secret_name like ${`many-of-${destinationName}/00000%`} for update`.execute(
        tx,
      );
      await service.ask('DELETE', `${at()}?purge=true`);
      await service.sweep();
      expect(await countAssociations(service, destinationName, marked)).toBeLessThanOrEqual(1_191);
    });
    await mark(1_200);
    expect(await countAssociations(service, destinationName, sql`a.generation <> 2`)).toBe(0);
  });

  test('that was abandoned half-way marks no further ones', async () => {
    await insertAssociations(service, destinationName, 3_000);
    await service.ask('DELETE', `${at()}?purge=true`);
    await sql`update destinations set purge_error = 'denied' where name = ${destinationName}`.execute(service.store.db);
    expect((await service.ask('POST', at(), service.fake(type).destination)).status).toBe(200);
    for (let round = 0; round < 3; round += 1) await service.sweep();
    expect(await countAssociations(service, destinationName, sql`a.desired = 'absent'`)).toBe(1_000);
  });
});

test('force_delete deletes more associations than fit into one transaction', async () => {
  await insertAssociations(service, destinationName, 5_500);
  expect((await service.ask('DELETE', `${at()}?force_delete=true`)).status).toBe(204);
  expect(await status()).toBe(404);
  expect(await countAssociations(service, destinationName)).toBe(0);
});
