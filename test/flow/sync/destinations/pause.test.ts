import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { statuses } from '#test/support/flow/associations.ts';
import { countAssociations, insertAssociations } from '#test/support/flow/many/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const at = (name: string) => `sys/sync/destinations/${type}/${name}`;
const pause = (name: string, body: object) => service.ask('PATCH', at(name), body);
const later = () => new Date(Date.now() + 3_600_000).toISOString();
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
const generations = async (name: string) => {
  const { rows } = await sql<{ sum: number }>`
    select sum(a.generation)::int as sum from associations a join destinations d on d.id = a.destination_id
     where d.name = ${name}`.execute(service.store.db);
  return rows[0]?.sum;
};
/** Runs the sweep until every change so far has been synced. */
const untilSwept = () =>
  eventually(async () => {
    await service.sweep();
    const { rows } = await sql`select 1 from associations where generation > observed_generation limit 1`.execute(
      service.store.db,
    );
    return rows.length === 0;
  });

afterEach(() => service.ask('DELETE', 'sys/sync/config'));

describe('a paused destination', () => {
  test('queues its operations as PENDING without a call, leaves others alone, and completes them when resumed', async () => {
    const [paused, other] = [await service.destination(type), await service.destination(type)];
    const secrets = await Promise.all(['1', '2', '3', '4'].map((v) => service.secret({ v })));
    const [kept = '', removed = '', fresh = '', elsewhere = ''] = secrets;
    for (const secret of [kept, removed]) await service.set(type, paused, secret);
    await service.set(type, other, elsewhere);
    await service.untilQuiet();
    const { status, data } = await pause(paused, { disabled: true });
    expect({ status, disabled: data?.['disabled'] }).toEqual({ status: 200, disabled: true });
    const before = service.calls(type);

    const began = Date.now();
    expect(statuses(await service.set(type, paused, fresh))).toEqual(['PENDING']);
    expect(statuses(await service.remove(type, paused, removed))).toEqual(['PENDING']);
    expect(Date.now() - began).toBeLessThan(Number(service.config.KEYFERRY_SYNC_WAIT_MS) / 2);
    await service.sweep();
    expect(service.calls(type)).toBe(before);

    await service.secret({ v: 'newer' }, kept);
    expect(statuses(await service.set(type, other, elsewhere))).toEqual(['SYNCED']);
    expect([...service.fake(type).objects().values()].map(({ value }) => value)).not.toContain('{"v":"newer"}');
    expect(statuses(await service.associations(type, paused))).toEqual(['PENDING', 'PENDING', 'PENDING']);

    expect((await pause(paused, { disabled: false })).data).toMatchObject({ disabled: false });
    await untilSwept();
    const after = await service.associations(type, paused);
    expect(after.map(({ secret_name }) => secret_name).toSorted()).toEqual([kept, fresh].toSorted());
    expect(statuses(after)).toEqual(['SYNCED', 'SYNCED']);
  });

  test('is resumed by the passing of its time', async () => {
    const destination = await service.destination(type);
    const secret = await service.secret({ v: '1' });
    const until = soon(1_500);
    expect((await pause(destination, { disabled: true, disabled_until: until })).data).toMatchObject({
      disabled: true,
      disabled_until: until,
    });
    expect(statuses(await service.set(type, destination, secret))).toEqual(['PENDING']);
    await service.until(type, destination, secret, ([one]) => one?.sync_status === 'SYNCED');
    const { data } = await service.ask('GET', at(destination));
    expect(data).toMatchObject({ disabled: false });
    expect(data).not.toHaveProperty('disabled_until');
  });

  test('is a change that marks nothing and needs no credentials, and survives a POST of an existing client', async () => {
    const destination = await service.destination(type);
    await service.set(type, destination, await service.secret({ v: '1' }));
    const before = await generations(destination);
    await pause(destination, { disabled: true, disabled_until: later() });
    await pause(destination, { disabled: false });
    const body = { ...service.fake(type).destination, disabled: true };
    expect((await service.ask('POST', at(destination), body)).data).toMatchObject({ disabled: true });
    expect(await generations(destination)).toBe(before);
    await service.ask('POST', at(destination), service.fake(type).destination);
    expect((await service.ask('GET', at(destination))).data).toMatchObject({ disabled: true });
    expect(await generations(destination)).toBe((before ?? 0) + 1);
    await service.ask('POST', at(destination), { ...body, disabled: false, custom_tags: { team: 'a' } });
    expect(await generations(destination)).toBe((before ?? 0) + 2);
    await service.untilQuiet();
  });

  test('can be paused and resumed during its purge, which waits', async () => {
    const destination = await service.destination(type);
    await service.set(type, destination, await service.secret({ v: '1' }));
    await pause(destination, { disabled: true });
    const before = service.calls(type);
    expect((await service.ask('DELETE', `${at(destination)}?purge=true`)).status).toBe(204);
    await service.sweep();
    expect((await pause(destination, { disabled: true })).status).toBe(200);
    expect(service.calls(type)).toBe(before);
    expect((await pause(destination, { disabled: false })).status).toBe(200);
    await eventually(async () => {
      await service.sweep();
      return (await service.ask('GET', at(destination))).status === 404;
    });
  });

  test('is reported as paused only when no operation is in flight any more', async () => {
    const destination = await service.destination(type);
    await insertAssociations(service, destination, 1);
    const ofIt = sql`destination_id = (select id from destinations where name = ${destination})`;
    await sql`update associations set generation = 2, claimed_by = 'w', claimed_until = now() + interval '1 hour' where ${ofIt}`.execute(
      service.store.db,
    );
    let answered = false;
    const paused = pause(destination, { disabled: true }).finally(() => {
      answered = true;
    });
    await eventually(async () => (await service.ask('GET', at(destination))).data?.['disabled'] === true);
    expect(answered).toBe(false);
    await sql`update associations set observed_generation = 2, claimed_by = null, claimed_until = null where ${ofIt}`.execute(
      service.store.db,
    );
    expect((await paused).status).toBe(200);
  });

  test.each([
    [{ disabled: true, disabled_until: '2001-01-01T00:00:00Z' }, 'disabled_until must be in the future'],
    [{ disabled: true, disabled_until: 'tomorrow' }, 'disabled_until must be a time'],
    [{ disabled_until: '2999-01-01T00:00:00Z' }, 'send disabled=true as well'],
    [{ disabled: false, disabled_until: '2999-01-01T00:00:00Z' }, 'send disabled=true as well'],
    [{ disabled: 'perhaps' }, 'disabled'],
  ])('refuses %o', async (body, rule) => {
    const destination = await service.destination(type);
    for (const path of [at(destination), 'sys/sync/config']) {
      const { status, errors } = await service.ask('PATCH', path, body);
      expect({ status, errors: errors.join() }).toEqual({ status: 400, errors: expect.stringContaining(rule) });
      expect((await service.ask('GET', path)).data).toMatchObject({ disabled: false });
    }
  });

  test('with thousands of jobs does not keep the workers from another destination', async () => {
    const [paused, other] = [await service.destination(type), await service.destination(type)];
    await pause(paused, { disabled: true });
    await insertAssociations(service, paused, 6_000);
    const ofIt = sql`destination_id = (select id from destinations where name = ${paused})`;
    await sql`update associations set generation = 2, status = 'PENDING' where ${ofIt}`.execute(service.store.db);
    await service.sweep();
    const secret = await service.secret({ v: '1' });
    expect(statuses(await service.set(type, other, secret))).toEqual(['SYNCED']);
    expect(await countAssociations(service, paused, sql`a.observed_generation = 2`)).toBe(0);
    expect((await service.ask('DELETE', `${at(paused)}?force_delete=true`)).status).toBe(204);
  });
});

test('a pause of the whole sync ends by itself, and the sweep resumes the queues', async () => {
  const destination = await service.destination(type);
  const secret = await service.secret({ v: '1' });
  const until = soon(1_000);
  const paused = await service.ask('PATCH', 'sys/sync/config', { disabled: true, disabled_until: until });
  expect(paused.data).toMatchObject({ disabled: true, disabled_until: until });
  expect(statuses(await service.set(type, destination, secret))).toEqual(['PENDING']);
  await untilSwept();
  expect(statuses(await service.associations(type, destination))).toEqual(['SYNCED']);
  expect((await service.ask('GET', 'sys/sync/config')).data).toEqual({ disabled: false, queue_capacity: 1_000_000 });
});
