import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { only, statuses } from '#test/support/flow/associations.ts';
import { briefCalls, eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-b-kv';
const service = serviceOf([type], { ...briefCalls, KEYFERRY_SYNC_WAIT_MS: '10000' });
const at = (destinationName: string) => `sys/sync/destinations/${type}/${destinationName}`;

/** A destination and a secret that was set there and removed again, after its first push timed out. */
async function removedWhileUnconfirmed(changes: object = {}) {
  const destinationName = await service.destination(type, { purge_on_delete: true, ...changes });
  const secret = await service.secret({ v: '1' });
  service.fake(type).fail({ kind: 'hang', times: 1, after: 1 });
  const calls = service.calls(type);
  const set = service.set(type, destinationName, secret);
  await eventually(() => service.calls(type) > calls + 1);
  expect(statuses(await service.remove(type, destinationName, secret))).toEqual(['UNSYNCED']);
  await set;
  service.fake(type).heal();
  expect(await rowsOf(destinationName)).toBe(1);
  return { destinationName, secret };
}

/** The rows of the associations of a destination, including those that reads do not show. */
async function rowsOf(destinationName: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from associations a join destinations d on d.id = a.destination_id
     where d.name = ${destinationName}`.execute(service.store.db);
  return rows[0]?.count ?? 0;
}

/** Makes the next recheck due. */
const untilDue = (destinationName: string) =>
  sql`
  update associations a set recheck_at = now() from destinations d
   where d.id = a.destination_id and d.name = ${destinationName} and a.recheck_at is not null`.execute(
    service.store.db,
  );

async function recheck(destinationName: string): Promise<void> {
  await untilDue(destinationName);
  await service.sweep();
  await eventually(async () => {
    const { rows } = await sql<{ open: number }>`
      select count(*)::int as open from associations where generation > observed_generation`.execute(service.store.db);
    return rows[0]?.open === 0;
  });
}

const isGone = (destinationName: string) =>
  eventually(async () => (await service.ask('GET', at(destinationName))).status === 404);

describe('a removed association with rechecks to come', () => {
  test('is invisible, and is deleted when they are over', async () => {
    const { destinationName, secret } = await removedWhileUnconfirmed();
    expect(await service.associations(type, destinationName)).toEqual([]);
    expect((await service.ask('GET', `sys/sync/associations/secret/${secret}`)).status).toBe(404);
    expect((await service.ask('LIST', 'sys/sync/associations')).text).not.toContain(`"${secret}"`);
    const replayed = await service.ask('POST', 'sys/sync/replay', { name: destinationName, sync_status: 'UNSYNCED' });
    expect(replayed.data).toMatchObject({ replayed: 0 });
    expect(statuses(await service.remove(type, destinationName, secret))).toEqual(['UNSYNCED']);
    await recheck(destinationName);
    expect(await rowsOf(destinationName)).toBe(1);
    await recheck(destinationName);
    expect(await rowsOf(destinationName)).toBe(0);
  });

  test('can be set again as if it had never existed', async () => {
    const { destinationName, secret } = await removedWhileUnconfirmed();
    const { external_name: name } = only(await service.set(type, destinationName, secret));
    expect(service.fake(type).objects().get(name)?.value).toBe('{"v":"1"}');
    await recheck(destinationName);
    await recheck(destinationName);
    expect(statuses(await service.associations(type, destinationName))).toEqual(['SYNCED']);
    expect(service.fake(type).objects().has(name)).toBe(true);
  });

  test('allows its destination to be deleted, which is completed when they are over', async () => {
    const { destinationName } = await removedWhileUnconfirmed();
    const { status, warnings } = await service.ask('DELETE', at(destinationName));
    expect(status).toBe(200);
    expect(warnings.join()).toContain('force_delete=true');
    expect((await service.ask('GET', at(destinationName))).data).toHaveProperty('purge_initiated_at');
    await recheck(destinationName);
    expect((await service.ask('GET', at(destinationName))).status).toBe(200);
    await recheck(destinationName);
    await isGone(destinationName);
  });

  test('delays a purge until they are over, but not force_delete', async () => {
    const { destinationName } = await removedWhileUnconfirmed();
    expect((await service.ask('DELETE', `${at(destinationName)}?purge=true`)).status).toBe(204);
    await service.sweep();
    expect((await service.ask('GET', at(destinationName))).status).toBe(200);
    await recheck(destinationName);
    await recheck(destinationName);
    await isGone(destinationName);

    const other = await removedWhileUnconfirmed();
    expect((await service.ask('DELETE', `${at(other.destinationName)}?force_delete=true`)).status).toBe(204);
    expect((await service.ask('GET', at(other.destinationName))).status).toBe(404);
  });

  test('reserves its name until they are over, and then another secret gets it without a further request', async () => {
    const { destinationName } = await removedWhileUnconfirmed({
      secret_name_template: 'shared-{{ .DestinationName }}',
    });
    const other = await service.secret({ v: 'other' });
    const waits = only(await service.set(type, destinationName, other));
    expect(waits).toMatchObject({ sync_status: 'PENDING', error: { kind: 'internal' } });
    expect(waits.error?.message).toContain('is not free yet');
    expect(waits.next_attempt_at).not.toBeNull();
    for (let round = 0; round < 2; round += 1) {
      await untilDue(destinationName);
      await service.sweep();
      await eventually(async () => (await countBeingRemoved(destinationName)) === 0);
    }
    expect(await rowsOf(destinationName)).toBe(1);
    await service.ask('POST', 'sys/sync/replay', { name: destinationName, sync_status: 'PENDING' });
    const [synced] = await service.until(type, destinationName, other, (records) => statuses(records)[0] === 'SYNCED');
    expect(
      service
        .fake(type)
        .objects()
        .get(synced?.external_name ?? '')?.value,
    ).toBe('{"v":"other"}');
  });
});

/** Associations that are to be absent and are being worked on. */
async function countBeingRemoved(destinationName: string): Promise<number> {
  const { rows } = await sql<{ going: number }>`
    select count(*)::int as going from associations a join destinations d on d.id = a.destination_id
     where d.name = ${destinationName} and a.desired = 'absent' and a.generation > a.observed_generation`.execute(
    service.store.db,
  );
  return rows[0]?.going ?? 0;
}

describe('a recheck', () => {
  test('waits while the sync is disabled, and uses capacity of the queue', async () => {
    const { destinationName } = await removedWhileUnconfirmed();
    const [other, secret] = [await service.destination(type), await service.secret({ v: '1' })];
    await service.ask('PATCH', 'sys/sync/config', { disabled: true, queue_capacity: 1 });
    const calls = service.calls(type);
    await untilDue(destinationName);
    await service.sweep();
    await service.sweep();
    expect(service.calls(type)).toBe(calls);
    const set = await service.ask('POST', `${at(other)}/associations/set`, { mount: 'secret', secret_name: secret });
    expect(set.status).toBe(503);
    await service.ask('PATCH', 'sys/sync/config', { disabled: false, queue_capacity: 1_000 });
    await service.untilQuiet();
    expect(service.calls(type)).toBeGreaterThan(calls);
  });

  test('is counted by its result', async () => {
    const { destinationName, secret } = await removedWhileUnconfirmed();
    const { external_name: name } = only(await service.set(type, destinationName, secret));
    const counted = (result: string) => metric(`keyferry_sync_rechecks_total{type="${type}",result="${result}"}`);
    const [asLeft, mended] = [await counted('unchanged'), await counted('mended')];
    await recheck(destinationName);
    expect([await counted('unchanged'), await counted('mended')]).toEqual([asLeft + 1, mended]);
    service.fake(type).change(name, 'late');
    await recheck(destinationName);
    expect([await counted('unchanged'), await counted('mended')]).toEqual([asLeft + 1, mended + 1]);
    expect(service.fake(type).objects().get(name)?.value).toBe('{"v":"1"}');
  });
});

async function metric(line: string): Promise<number> {
  const headers = { 'x-service-token': service.rootToken };
  const text = await (await fetch(`${service.address}/v1/sys/metrics?format=prometheus`, { headers })).text();
  return Number(
    text
      .split('\n')
      .find((one) => one.startsWith(line))
      ?.slice(line.length) ?? 0,
  );
}
