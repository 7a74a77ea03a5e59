import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { only, statuses } from '#test/support/flow/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type, 'repo-host'], { KEYFERRY_SYNC_ATTEMPTS_MAX: '2' });
const at = (name: string) => `sys/sync/destinations/${type}/${name}`;

/** A destination with two synced secrets. */
async function inUse() {
  const destinationName = await service.destination(type);
  const names: string[] = [];
  const secrets = [await service.secret({ v: '1' }), await service.secret({ v: '2' })];
  for (const secret of secrets) names.push(only(await service.set(type, destinationName, secret)).external_name);
  const copies = () => names.filter((name) => service.fake(type).objects().has(name)).length;
  return { destinationName, secret: secrets[0] ?? '', copies };
}

const gone = (destinationName: string) =>
  eventually(async () => (await service.ask('GET', at(destinationName))).status === 404);

/** A purge that has failed because the destination refuses removals. */
async function failedPurge() {
  const used = await inUse();
  service.fake(type).fail({ kind: 'denied' });
  expect((await service.ask('DELETE', `${at(used.destinationName)}?purge=true`)).status).toBe(204);
  await eventually(async () => 'purge_error' in (await service.ask('GET', at(used.destinationName))).data);
  await service.untilQuiet();
  service.fake(type).heal();
  return used;
}

describe('DELETE of a destination', () => {
  test('that still manages associations is refused, with their number and what to do', async () => {
    const { destinationName, copies } = await inUse();
    for (const query of ['', '?purge=false', '?purge=false&force_delete=false']) {
      const { status, errors } = await service.ask('DELETE', `${at(destinationName)}${query}`);
      expect(status).toBe(400);
      expect(errors.join()).toContain('still manages 2 associations');
      expect(errors.join()).toContain('purge=true');
    }
    expect(copies()).toBe(2);
  });

  test('succeeds once its associations are removed', async () => {
    const { destinationName } = await inUse();
    for (const { secret_name } of await service.associations(type, destinationName))
      await service.remove(type, destinationName, secret_name);
    expect((await service.ask('DELETE', at(destinationName))).status).toBe(204);
  });

  test('with force_delete is immediate and leaves the copies where they are', async () => {
    const { destinationName, secret, copies } = await inUse();
    const calls = service.calls(type);
    expect((await service.ask('DELETE', `${at(destinationName)}?force_delete=true`)).status).toBe(204);
    expect((await service.ask('GET', at(destinationName))).status).toBe(404);
    expect((await service.ask('GET', `sys/sync/associations/secret/${secret}`)).status).toBe(404);
    await service.untilQuiet();
    expect(service.calls(type)).toBe(calls);
    expect(copies()).toBe(2);
  });

  test('with purge and force_delete acts like force_delete alone, even during a purge', async () => {
    const { destinationName, copies } = await inUse();
    const calls = service.calls(type);
    expect((await service.ask('DELETE', `${at(destinationName)}?purge=true&force_delete=true`)).status).toBe(204);
    expect((await service.ask('GET', at(destinationName))).status).toBe(404);
    await service.untilQuiet();
    expect([service.calls(type), copies()]).toEqual([calls, 2]);

    const next = await inUse();
    await service.ask('PATCH', 'sys/sync/config', { disabled: true });
    await service.ask('DELETE', `${at(next.destinationName)}?purge=true`);
    expect((await service.ask('GET', at(next.destinationName))).data).toHaveProperty('purge_initiated_at');
    expect((await service.ask('DELETE', `${at(next.destinationName)}?force_delete=true`)).status).toBe(204);
    expect((await service.ask('GET', at(next.destinationName))).status).toBe(404);
    await service.ask('PATCH', 'sys/sync/config', { disabled: null });
    await service.untilQuiet();
    expect(next.copies()).toBe(2);
  });

  test('with force_delete works for a destination that no longer answers', async () => {
    const { destinationName, secret } = await inUse();
    service.fake(type).fail({ kind: 'credentials' });
    await service.secret({ v: 'newer' }, secret);
    expect((await service.ask('DELETE', `${at(destinationName)}?force_delete=true`)).status).toBe(204);
    expect((await service.ask('GET', at(destinationName))).status).toBe(404);
  });
});

describe('a purge', () => {
  test('removes all copies in the background, then the destination', async () => {
    const { destinationName, copies } = await inUse();
    expect((await service.ask('DELETE', `${at(destinationName)}?purge=true`)).status).toBe(204);
    await gone(destinationName);
    expect(copies()).toBe(0);
  });

  test('of a destination without associations deletes it at once', async () => {
    const destinationName = await service.destination(type);
    expect((await service.ask('DELETE', `${at(destinationName)}?purge=true`)).status).toBe(204);
    expect((await service.ask('GET', at(destinationName))).status).toBe(404);
  });

  test('in progress is shown, and set, remove and edits are refused meanwhile', async () => {
    const { destinationName, secret } = await inUse();
    await service.ask('PATCH', 'sys/sync/config', { disabled: true });
    await service.ask('DELETE', `${at(destinationName)}?purge=true`);
    const { data } = await service.ask('GET', at(destinationName));
    expect(data).toMatchObject({ purge_initiated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
    expect(data).not.toHaveProperty('purge_error');
    const target = { mount: 'secret', secret_name: secret };
    const refused = await Promise.all([
      service.ask('POST', `${at(destinationName)}/associations/set`, target),
      service.ask('POST', `${at(destinationName)}/associations/remove`, target),
      service.ask('PATCH', at(destinationName), { granularity: 'secret-key' }),
      service.ask('POST', at(destinationName), service.fake(type).destination),
    ]);
    for (const { status, errors } of refused) {
      expect(status).toBe(400);
      expect(errors.join()).toContain('purge in progress');
    }
    await service.ask('DELETE', 'sys/sync/config');
    await gone(destinationName);
  });

  test('that fails says why; afterwards everything works again and a second purge succeeds', async () => {
    const { destinationName, secret, copies } = await failedPurge();
    const { data } = await service.ask('GET', at(destinationName));
    expect(data['purge_error']).toContain('secretsmanager:DeleteSecret');
    expect(copies()).toBe(2);
    expect((await service.ask('PATCH', at(destinationName), { custom_tags: { a: 'b' } })).status).toBe(200);
    expect(statuses(await service.remove(type, destinationName, secret))).toEqual(['UNSYNCED']);
    expect((await service.ask('DELETE', `${at(destinationName)}?purge=true`)).status).toBe(204);
    await gone(destinationName);
    expect(copies()).toBe(0);
  });

  test('that fails is completed by a replay', async () => {
    const { destinationName, copies } = await failedPurge();
    await service.ask('POST', 'sys/sync/replay', { name: destinationName });
    await gone(destinationName);
    expect(copies()).toBe(0);
  });

  test('that fails is abandoned by a new set: the destination stays after its last association is removed', async () => {
    const { destinationName, secret } = await failedPurge();
    expect(statuses(await service.set(type, destinationName, secret))).toEqual(['SYNCED']);
    expect((await service.ask('GET', at(destinationName))).data).not.toHaveProperty('purge_error');
    for (const { secret_name } of await service.associations(type, destinationName))
      await service.remove(type, destinationName, secret_name);
    await service.sweep();
    expect((await service.ask('GET', at(destinationName))).status).toBe(200);
  });

  test('that fails is abandoned when the destination is replaced: it stays after its last association is removed', async () => {
    const { destinationName, copies } = await failedPurge();
    const written = await service.ask('POST', at(destinationName), service.fake(type).destination);
    expect(written.data).not.toHaveProperty('purge_initiated_at');
    expect(written.data).not.toHaveProperty('purge_error');
    await service.ask('POST', 'sys/sync/replay', { name: destinationName });
    await service.untilQuiet();
    await service.sweep();
    expect(await service.associations(type, destinationName)).toEqual([]);
    expect(copies()).toBe(0);
    expect((await service.ask('GET', at(destinationName))).status).toBe(200);
  });

  test('that fails is kept when single fields are fixed, and a replay then completes it', async () => {
    const { destinationName } = await failedPurge();
    const changed = await service.ask('PATCH', at(destinationName), { custom_tags: { a: 'b' } });
    expect(changed.data).toHaveProperty('purge_error');
    await service.ask('POST', 'sys/sync/replay', { name: destinationName });
    await gone(destinationName);
  });

  test('that fails is not abandoned by a refused write', async () => {
    const { destinationName } = await failedPurge();
    expect((await service.ask('POST', at(destinationName), { granularity: 'nonsense' })).status).toBe(400);
    expect((await service.ask('GET', at(destinationName))).data).toHaveProperty('purge_error');
  });

  test('sees every association: a concurrent set is refused', async () => {
    const { destinationName } = await inUse();
    const late = await service.secret({ v: 'late' });
    const { db } = service.store;
    const answers: Promise<{ readonly status: number; readonly errors: readonly string[] }>[] = [];
    await db.transaction().execute(async (tx) => {
      await sql`select 1 from destinations where name = ${destinationName} for update`.execute(tx);
      answers.push(
        service.ask('POST', `${at(destinationName)}/associations/set`, { mount: 'secret', secret_name: late }),
      );
      await eventually(async () => (await waitingForLocks()) > 0);
      await sql`update destinations set purge_initiated_at = now() where name = ${destinationName}`.execute(tx);
    });
    const [answer] = await Promise.all(answers);
    expect(answer?.errors.join()).toContain('purge in progress');
    expect(await service.associations(type, destinationName, late)).toEqual([]);
  });
});

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`.execute(service.store.db);
  return rows[0]?.count ?? 0;
}
