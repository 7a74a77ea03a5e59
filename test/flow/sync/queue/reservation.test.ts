import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import { readBounds } from '#network/bounds.ts';
import type { Queue } from '#queue/contract.ts';
import { openQueue } from '#queue/open.ts';
import { removeAssociation, setAssociation } from '#sync/rows/associations/change.ts';
import type { NewAssociation } from '#sync/rows/associations/change-store.ts';
import type { SyncParts } from '#sync/rows/parts.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { ending, testRedis } from '#test/support/services.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);

/** Uses a separate queue, and runs a hook before each reservation. */
async function groundOf(beforeReserve: (round: number) => Promise<void> = async () => {}) {
  const { url: redisUrl, prefix } = testRedis();
  const types = definitions.map((definition) => definition.type);
  const queue = ending(await openQueue({ redisUrl, prefix, types, log: silentLog, clock: systemClock }));
  let rounds = 0;
  const reserve: Queue['reserve'] = async (operation, capacity) => {
    rounds += 1;
    await beforeReserve(rounds);
    return queue.reserve(operation, capacity);
  };
  const parts: SyncParts = {
    store: service.store,
    queue: { ...queue, reserve },
    asks: queue,
    clock: systemClock,
    log: silentLog,
    changed: async () => [],
    marker: { begun: async () => [] },
    definitions,
    mounts: { resolve: async () => undefined },
    currentSecret: async () => undefined,
    secretsBelow: async () => [],
    holdSecrets: async (_tx, _mountId, names) => names,
    describeSecrets: async () => [],
    describeBelow: async () => [],
    readPath: (mount, name) => `${mount.path}data/${name}`,
    syncedMounts: 'KV v2',
    waitMs: 0,
    pollMsMax: 0,
    drainMs: 0,
    networkBounds: readBounds('all'),
    credentialsDir: undefined,
  };
  return { parts, queue, association: await newAssociation() };
}

async function newAssociation(): Promise<NewAssociation> {
  const [definition] = definitions.filter((one) => one.type === type);
  const { rows } = await sql<{ id: string; accessor: string }>`
    select id, accessor from mounts where path = 'secret/'`.execute(service.store.db);
  const [mount] = rows;
  if (definition === undefined || mount === undefined) throw new Error('the service has no destination type or mount');
  const destinationName = await service.destination(type);
  const own = { namespaceId: 'root', definition, destinationName, mountPath: 'secret/' };
  return { ...own, secretName: service.name('linked'), mount, adopt: false };
}

const generations = async ({ secretName }: NewAssociation) =>
  (
    await sql<{ generation: number }>`
      select generation from associations where secret_name = ${secretName}`.execute(service.store.db)
  ).rows.map(({ generation }) => generation);

test('a queue that hangs during a reservation holds no transaction open and no row locked', async () => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { parts, association } = await groundOf(async () => {
    asked.resolve();
    await answered.promise;
  });
  const setting = setAssociation(parts, association);
  await asked.promise;
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`.execute(
    service.store.db,
  );
  expect(rows).toEqual([]);
  await service.store.transaction(async (tx) => {
    await sql`select 1 from destinations where name = ${association.destinationName} for update nowait`.execute(tx);
  });
  answered.resolve();
  expect((await setting).operations).toHaveLength(1);
});

test('capacity reserved for a change that is then refused is released', async () => {
  const { parts, queue, association } = await groundOf(async () => {
    await sql`update destinations set purge_initiated_at = now() where name = ${association.destinationName}`.execute(
      service.store.db,
    );
  });
  await expect(setAssociation(parts, association)).rejects.toThrow('purge in progress');
  expect(await queue.pendingCount()).toBe(0);
  expect(await generations(association)).toEqual([]);
});

test('a set overtaken by another set of the same secret renews it and uses capacity once', async () => {
  const { parts, queue, association } = await groundOf(async (round) => {
    if (round === 1) await setAssociation(parts, association);
  });
  await setAssociation(parts, association);
  expect(await generations(association)).toEqual([2]);
  expect(await queue.pendingCount()).toBe(1);
});

test('a set whose association is deleted meanwhile creates it again', async () => {
  const { parts, queue, association } = await groundOf(async (round) => {
    if (round !== 2) return;
    await sql`delete from associations where secret_name = ${association.secretName}`.execute(service.store.db);
  });
  const first = await setAssociation(parts, association);
  for (const { id, generation } of first.operations) await queue.release(id, generation);
  const second = await setAssociation(parts, association);
  expect(await generations(association)).toEqual([1]);
  expect(second.operations.map(({ id }) => id)).not.toEqual(first.operations.map(({ id }) => id));
  expect(await queue.pendingCount()).toBe(1);
});

test('a removal of an association that is deleted meanwhile does nothing and keeps no capacity', async () => {
  const { parts, queue, association } = await groundOf(async (round) => {
    if (round !== 2) return;
    await sql`delete from associations where secret_name = ${association.secretName}`.execute(service.store.db);
  });
  const { operations } = await setAssociation(parts, association);
  for (const { id, generation } of operations) await queue.release(id, generation);
  expect((await removeAssociation(parts, association)).operations).toEqual([]);
  expect(await queue.pendingCount()).toBe(0);
});
