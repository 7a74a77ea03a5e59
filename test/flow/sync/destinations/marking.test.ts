import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countAssociations, insertAssociations } from '#test/support/flow/many/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const dirty = sql`a.generation > a.observed_generation`;
const many = 2_300;

let destinationName = '';
const at = (name = destinationName) => `sys/sync/destinations/${type}/${name}`;
const change = (tags: object, name = destinationName) =>
  service.ask('PATCH', at(name), { custom_tags: tags }).then(({ status }) => status);
const counters = async () => {
  const { data } = await service.ask('GET', `${at()}/associations`);
  return (data as { sync_operation_counters: Readonly<Record<string, number>> }).sync_operation_counters;
};
const untilMarked = async () =>
  eventually(
    async () => {
      const { rows } = await sql`select 1 from markings`.execute(service.store.db);
      return rows.length === 0;
    },
    () => 'not all were marked',
  );
/** Locks the last association of the destination, so that no page goes beyond it. */
const withLastLocked = (work: () => Promise<void>): Promise<void> =>
  service.store.db.transaction().execute(async (tx) => {
    await sql`select 1 from associations where secret_name = ${`many-of-${destinationName}/00${many}`} for update`.execute(
      tx,
    );
    await work();
  });

beforeEach(async () => {
  destinationName = await service.destination(type);
  await service.ask('PATCH', 'sys/sync/config', { disabled: true });
});
afterEach(async () => {
  await service.ask('DELETE', `${at()}?force_delete=true`);
  await service.ask('DELETE', 'sys/sync/config');
});

describe('a change of a destination with many associations', () => {
  test('returns after the first page, and the other associations read PENDING before they are marked', async () => {
    await insertAssociations(service, destinationName, many);
    expect(await counters()).toEqual({ SYNCED: many });
    await withLastLocked(async () => {
      expect(await change({ one: '1' })).toBe(200);
      expect(await countAssociations(service, destinationName, dirty)).toBeLessThan(many);
      expect(await counters()).toEqual({ PENDING: many });
    });
    await untilMarked();
    expect(await countAssociations(service, destinationName, sql`a.generation <> 2 or not (${dirty})`)).toBe(0);
    expect(await counters()).toEqual({ PENDING: many });
  });

  test('during the marking of an earlier change marks all associations again', async () => {
    await insertAssociations(service, destinationName, many);
    await withLastLocked(async () => {
      expect(await change({ one: '1' })).toBe(200);
      await sql`update associations set observed_generation = generation, status = 'SYNCED' where ${sql.ref('generation')} = 2`.execute(
        service.store.db,
      );
    });
    await untilMarked();
    await sql`update associations set observed_generation = generation, status = 'SYNCED'`.execute(service.store.db);
    await withLastLocked(async () => {
      expect(await change({ two: '2' })).toBe(200);
      expect(await change({ three: '3' })).toBe(200);
      expect(await counters()).toEqual({ PENDING: many });
    });
    await untilMarked();
    expect(await countAssociations(service, destinationName, dirty)).toBe(many);
    expect(await countAssociations(service, destinationName, sql`a.generation not in (3, 4)`)).toBe(0);
  });

  test('neither marks later associations nor shows them as pending', async () => {
    await insertAssociations(service, destinationName, many);
    await withLastLocked(async () => {
      await change({ one: '1' });
      await sql`
        insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                                  adopt, desired, generation, observed_generation, status, records, updated_at)
        select destination_id, type, mount_id, mount_path, mount_accessor, 'zz-new', granularity, template, adopt, desired, 1, 1,
               'SYNCED', '[]', now()
          from associations where secret_name = ${`many-of-${destinationName}/000001`}`.execute(service.store.db);
      expect(await counters()).toEqual({ PENDING: many, SYNCED: 1 });
    });
    await untilMarked();
    expect(await counters()).toEqual({ PENDING: many, SYNCED: 1 });
  });

  test('does not prevent the marking of changes of other destinations', async () => {
    await insertAssociations(service, destinationName, many);
    const other = await service.destination(type);
    await insertAssociations(service, other, many);
    await withLastLocked(async () => {
      await change({ one: '1' });
      await change({ one: '1' }, other);
      await eventually(async () => {
        await service.sweep();
        return (await countAssociations(service, other, dirty)) === many;
      });
      expect(await countAssociations(service, destinationName, dirty)).toBeLessThan(many);
    });
    await service.ask('DELETE', `${at(other)}?force_delete=true`);
  });

  test('and that is force-deleted during the marking leaves nothing behind', async () => {
    await insertAssociations(service, destinationName, many);
    await withLastLocked(async () => {
      await change({ one: '1' });
    });
    expect((await service.ask('DELETE', `${at()}?force_delete=true`)).status).toBe(204);
    await untilMarked();
    expect((await service.ask('GET', at())).status).toBe(404);
  });

  test('gives way to a purge, and continues when the purge was abandoned', async () => {
    await insertAssociations(service, destinationName, many);
    await withLastLocked(async () => {
      await change({ one: '1' });
      expect((await service.ask('DELETE', `${at()}?purge=true`)).status).toBe(204);
    });
    const absent = sql`a.desired = 'absent'`;
    const removed = await countAssociations(service, destinationName, absent);
    expect(removed).toBeGreaterThan(0);
    expect(removed).toBeLessThan(many);
    // The effect of a set at a destination whose purge has failed.
    await sql`update destinations set purge_initiated_at = null where name = ${destinationName}`.execute(
      service.store.db,
    );
    await service.sweep();
    await untilMarked();
    expect(await countAssociations(service, destinationName, dirty)).toBe(many);
    expect(await countAssociations(service, destinationName, absent)).toBe(removed);
  });
});

test('changed fields that are part of objects are pushed although the values look unchanged', async () => {
  await insertAssociations(service, destinationName, many);
  expect((await service.ask('PATCH', at(), { region: 'eu-west-3' })).status).toBeLessThan(500);
  await untilMarked();
  const forced = await countAssociations(service, destinationName, sql`a.forced_generation = a.generation`);
  const region = await service.ask('GET', at());
  expect(JSON.stringify(region.data).includes('eu-west-3') ? forced : many).toBe(many);
});
