import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countAssociations, insertAssociations } from '#test/support/flow/many/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { ending } from '#test/support/services.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const config = 'sys/sync/config';
const replay = (fields: object) => service.ask('POST', 'sys/sync/replay', fields);
const dirty = sql`a.status = 'PENDING' and a.generation > a.observed_generation`;

/**
 * Replays on from the cursor, until the replay is complete or a reply has a warning that ends it. A busy machine needs several calls, because
 * the time of one is bounded.
 */
async function replayAll(fields: object, isEnd = (_warnings: string) => false) {
  const sums = { queued: 0, replayed: 0 };
  let cursor: unknown;
  for (;;) {
    const { data, warnings } = await replay({ ...fields, ...(cursor === undefined ? {} : { cursor }) });
    sums.queued += Number(data['queued']);
    sums.replayed += Number(data['replayed']);
    cursor = data['cursor'];
    if (cursor === undefined || isEnd(warnings.join())) return { ...sums, cursor, warnings };
  }
}

let destinationName = '';
beforeEach(async () => {
  destinationName = await service.destination(type);
  await service.ask('PATCH', config, { disabled: true });
});
afterEach(async () => {
  for (const name of [destinationName, `${destinationName}-other`]) {
    await service.ask('DELETE', `sys/sync/destinations/${type}/${name}?force_delete=true`);
  }
  const redis = new Redis(service.config.REDIS_URL ?? '');
  ending({ stop: async () => redis.disconnect() });
  await redis.del(`${service.config.KEYFERRY_REDIS_PREFIX}:pending`);
  await service.ask('DELETE', config);
});

describe('a replay of many', () => {
  test('covers all of them, page after page', async () => {
    await insertAssociations(service, destinationName, 3_345);
    const all = await replayAll({ name: destinationName, sync_status: 'SYNCED' });
    expect(all).toMatchObject({ queued: 3_345, replayed: 3_345 });
    expect(await countAssociations(service, destinationName, dirty)).toBe(3_345);
  });

  test('stops when the queue is full, says how many were queued, and continues with the cursor', async () => {
    await insertAssociations(service, destinationName, 3_300, 'EXTERNAL_SERVICE_ERROR');
    await service.ask('PATCH', config, { queue_capacity: 1_500 });
    const first = await replayAll({ name: destinationName }, (warnings) => warnings.includes('queue is full'));
    expect(first).toMatchObject({ queued: 1_500, replayed: 2_000, cursor: expect.stringMatching(/^\d+$/) });
    expect(first.warnings.join()).toContain('the sync queue is full (queue_capacity 1500): 500 sync operations');
    expect(await countAssociations(service, destinationName, dirty)).toBe(2_000);
    await service.ask('PATCH', config, { queue_capacity: 10_000 });
    const second = await replayAll({ name: destinationName, cursor: first.cursor });
    expect(second).toMatchObject({ queued: 1_300, replayed: 1_300 });
    expect(await service.sweep()).toMatchObject({ requeued: 500, waitingForRoom: 0 });
    expect(await countAssociations(service, destinationName, dirty)).toBe(3_300);
  });

  test('selects exactly what the filter names, in any mix with others', async () => {
    await insertAssociations(service, destinationName, 2_500, 'CLIENT_SIDE_ERROR');
    await service.api.write(`sys/sync/destinations/${type}/${destinationName}-other`, {
      ...service.fake(type).destination,
    });
    await insertAssociations(service, `${destinationName}-other`, 1_200, 'CLIENT_SIDE_ERROR');
    await sql`update associations set status = 'EXTERNAL_SERVICE_ERROR' where id % 3 = 0`.execute(service.store.db);
    const wanted = await countAssociations(service, destinationName, sql`a.status = 'EXTERNAL_SERVICE_ERROR'`);
    const all = await replayAll({ name: destinationName, type, sync_status: 'EXTERNAL_SERVICE_ERROR' });
    expect(all).toMatchObject({ queued: wanted, replayed: wanted });
    expect(await countAssociations(service, `${destinationName}-other`, dirty)).toBe(0);
    expect(await countAssociations(service, destinationName, dirty)).toBe(wanted);
  });

  test('of PENDING associations brings them all forward', async () => {
    await insertAssociations(service, destinationName, 1_100);
    await replayAll({ name: destinationName, sync_status: 'SYNCED' });
    expect(await replayAll({ name: destinationName, sync_status: 'PENDING' })).toMatchObject({
      queued: 1_100,
      replayed: 1_100,
    });
  });

  test('concurrent with another covers every association', async () => {
    await insertAssociations(service, destinationName, 2_200, 'INTERNAL_ERROR');
    const answers = await Promise.all([replayAll({ name: destinationName }), replayAll({ name: destinationName })]);
    expect(answers.reduce((total, { replayed }) => total + replayed, 0)).toBe(2_200);
    expect(await countAssociations(service, destinationName, dirty)).toBe(2_200);
  });

  test('waits for an association that another transaction is changing, and replays it if it is still failed', async () => {
    await insertAssociations(service, destinationName, 3, 'INTERNAL_ERROR');
    const answers: ReturnType<typeof replay>[] = [];
    await service.store.db.transaction().execute(async (tx) => {
      await sql`select 1 from associations where secret_name like ${`many-of-${destinationName}/%`} for update`.execute(
        tx,
      );
      answers.push(replay({ name: destinationName }));
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    expect((await Promise.all(answers)).map(({ data }) => data)).toEqual([{ queued: 3, replayed: 3 }]);
  });

  test.each(['x', '-1', '1 or 1', '9'.repeat(40)])('with the cursor %s is refused', async (cursor) => {
    const { status, errors } = await replay({ cursor });
    expect(status).toBe(400);
    expect(errors.join()).toContain('cursor');
  });
});
