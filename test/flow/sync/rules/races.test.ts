import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openSweeper } from '#app/sweeper.ts';
import { silentLog } from '#core/log/log.ts';
import { takeMount } from '#sync/rules/statements.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { ruled } from './ruled.ts';

const type = 'cloud-b-kv';
const service = serviceOf([type]);
const { at, settled, store, made, records, names, read } = ruled(service);

test('a request that sets what a rule is making ends as the association of the request', async () => {
  const [folder, name] = [service.name('app'), await service.destination(type)];
  const secrets = Array.from({ length: 12 }, (_, index) => `${folder}/s${index}`);
  for (const secret of secrets) await service.secret({ v: secret }, secret);
  const rule = service.name('rule');
  await store(rule, { prefix: `${folder}/`, destinations: [`${type}/${name}`] });
  await Promise.all([
    service.sweep(),
    ...secrets.filter((_, index) => index % 2 === 0).map((secret) => service.set(type, name, secret)),
  ]);
  await settled();
  const byName = new Map((await records(type, name)).map((one) => [one.secret_name, one]));
  for (const [index, secret] of secrets.entries())
    expect(byName.get(secret)).toMatchObject({ rule: index % 2 === 0 ? null : rule, status: 'SYNCED' });
  await service.ask('DELETE', at(rule));
  await settled();
  expect(await names(type, name)).toEqual(secrets.filter((_, index) => index % 2 === 0).sort());
});

test('two sweeps at a time set each association once', async () => {
  const [folder, name] = [service.name('app'), await service.destination(type)];
  for (let index = 0; index < 20; index += 1) await service.secret({ v: '1' }, `${folder}/s${index}`);
  const other = await openSweeper({ config: service.config, log: silentLog });
  try {
    const rule = service.name('rule');
    await store(rule, { prefix: `${folder}/`, destinations: [`${type}/${name}`] });
    await Promise.all([service.sweep(), other.run(), service.sweep(), other.run()]);
    await settled();
    expect(await read(rule)).toMatchObject({ counts: { total: 20, synced: 20 } });
    const { rows } = await sql`
      select distinct a.generation from associations a join destinations d on d.id = a.destination_id
       where d.name = ${name}`.execute(service.store.db);
    expect(rows).toEqual([{ generation: 1 }]);
  } finally {
    await other.close();
  }
});

test('a sweep leaves the rules of a mount to the sweep that is at them', async () => {
  const [folder, name] = [service.name('app'), await service.destination(type)];
  const rule = service.name('rule');
  await store(rule, { prefix: `${folder}/`, destinations: [`${type}/${name}`] });
  await settled();
  await service.secret({ v: '1' }, `${folder}/s`);
  await service.store.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string }>`
      select id from mounts where path = 'secret/' and namespace_id = 'root'`.execute(tx);
    expect(await takeMount(tx, rows[0]?.id ?? '')).toBe(true);
    await service.sweep();
    expect(await names(type, name)).toEqual([]);
  });
  await settled();
  expect(await names(type, name)).toEqual([`${folder}/s`]);
});

test('a secret whose writing began before the rule was stored, and ends after its walk, is associated', async () => {
  const [folder, name] = [service.name('app'), await service.destination(type)];
  const secret = `${folder}/late`;
  const rule = service.name('rule');
  let stored: Promise<unknown> = Promise.resolve();
  await service.store.db.transaction().execute(async (tx) => {
    await sql`
      insert into kv_secrets (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions, cas_required,
                              delete_version_after)
      select id, ${secret}, 1, 1, now(), now(), 0, false, 0 from mounts where path = 'secret/' and namespace_id = 'root'`.execute(
      tx,
    );
    stored = store(rule, { prefix: `${folder}/`, destinations: [`${type}/${name}`] });
    await storingWaits();
    await service.sweep();
  });
  await stored;
  await settled();
  expect(await names(type, name)).toEqual([secret]);
});

async function storingWaits(): Promise<void> {
  for (let looks = 0; looks < 2_000; looks += 1) {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(service.store.db);
    if (rows.length > 0) return;
  }
  throw new Error('storing the rule does not wait for the writer');
}

test('a mount without rules has no notes, and a mount with rules has them until they are looked at', async () => {
  const notes = async () =>
    (await sql<{ count: number }>`select count(*)::int as count from sync_rule_work`.execute(service.store.db)).rows[0]
      ?.count;
  const mount = service.name('mount');
  await service.ask('POST', `sys/mounts/${mount}`, { type: 'kv', options: { version: '2' } });
  await settled();
  await service.ask('POST', `${mount}/data/x`, { data: { v: '1' } });
  expect(await notes()).toBe(0);
  await made({ mount, prefix: '/', destinations: [`${type}/${await service.destination(type)}`] });
  await service.ask('POST', `${mount}/data/x`, { data: { v: '2' } });
  expect(await notes()).toBe(0);
  await service.ask('POST', `${mount}/data/y`, { data: { v: '1' } });
  expect(await notes()).toBe(1);
  await settled();
  expect(await notes()).toBe(0);
});
