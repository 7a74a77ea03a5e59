import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countAssociations, insertAssociations } from '../../support/flow/many/associations.ts';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';

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
/** Holds the last association of the destination, so that no page goes beyond it. */
const whileTheLastIsHeld = (work: () => Promise<void>): Promise<void> =>
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
  test('is answered after the first page, and all others read PENDING before they are marked', async () => {
    await insertAssociations(service, destinationName, many);
    expect(await counters()).toEqual({ SYNCED: many });
    await whileTheLastIsHeld(async () => {
      expect(await change({ one: '1' })).toBe(200);
      expect(await countAssociations(service, destinationName, dirty)).toBeLessThan(many);
      expect(await counters()).toEqual({ PENDING: many });
    });
    await untilMarked();
    expect(await countAssociations(service, destinationName, sql`a.generation <> 2 or not (${dirty})`)).toBe(0);
    expect(await counters()).toEqual({ PENDING: many });
  });

  test('that comes while an earlier one is being marked marks all of them after it', async () => {
    await insertAssociations(service, destinationName, many);
    await whileTheLastIsHeld(async () => {
      expect(await change({ one: '1' })).toBe(200);
      await sql`update associations set observed_generation = generation, status = 'SYNCED' where ${sql.ref('generation')} = 2`.execute(
        service.store.db,
      );
    });
    await untilMarked();
    await sql`update associations set observed_generation = generation, status = 'SYNCED'`.execute(service.store.db);
    await whileTheLastIsHeld(async () => {
      expect(await change({ two: '2' })).toBe(200);
      expect(await change({ three: '3' })).toBe(200);
      expect(await counters()).toEqual({ PENDING: many });
    });
    await untilMarked();
    expect(await countAssociations(service, destinationName, dirty)).toBe(many);
    expect(await countAssociations(service, destinationName, sql`a.generation not in (3, 4)`)).toBe(0);
  });

  test('does not mark what is associated after it, nor call that pending', async () => {
    await insertAssociations(service, destinationName, many);
    await whileTheLastIsHeld(async () => {
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

  test('does not keep the changes of other destinations from being marked', async () => {
    await insertAssociations(service, destinationName, many);
    const other = await service.destination(type);
    await insertAssociations(service, other, many);
    await whileTheLastIsHeld(async () => {
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

  test('and is forgotten while it is being marked leaves nothing behind', async () => {
    await insertAssociations(service, destinationName, many);
    await whileTheLastIsHeld(async () => {
      await change({ one: '1' });
    });
    expect((await service.ask('DELETE', `${at()}?force_delete=true`)).status).toBe(204);
    await untilMarked();
    expect((await service.ask('GET', at())).status).toBe(404);
  });

  test('gives way to a purge, and goes on when the purge was given up', async () => {
    await insertAssociations(service, destinationName, many);
    await whileTheLastIsHeld(async () => {
      await change({ one: '1' });
      expect((await service.ask('DELETE', `${at()}?purge=true`)).status).toBe(204);
    });
    const absent = sql`a.desired = 'absent'`;
    const removed = await countAssociations(service, destinationName, absent);
    expect(removed).toBeGreaterThan(0);
    expect(removed).toBeLessThan(many);
    // As a set does at a destination whose purge has failed.
    await sql`update destinations set purge_initiated_at = null where name = ${destinationName}`.execute(
      service.store.db,
    );
    await service.sweep();
    await untilMarked();
    expect(await countAssociations(service, destinationName, dirty)).toBe(many);
    expect(await countAssociations(service, destinationName, absent)).toBe(removed);
  });
});

test('the fields of a change that objects hold are pushed though their values look unchanged', async () => {
  await insertAssociations(service, destinationName, many);
  expect((await service.ask('PATCH', at(), { region: 'eu-west-3' })).status).toBeLessThan(500);
  await untilMarked();
  const forced = await countAssociations(service, destinationName, sql`a.forced_generation = a.generation`);
  const region = await service.ask('GET', at());
  expect(JSON.stringify(region.data).includes('eu-west-3') ? forced : many).toBe(many);
});
