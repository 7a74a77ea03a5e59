import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-b-kv';
const service = serviceOf([type]);

test('an association created while its secret is being written ends with the written value', async () => {
  const destinationName = await service.destination(type);
  const secret = await service.secret({ value: 'before' });
  let set: Promise<unknown> = Promise.resolve();
  await service.store.db.transaction().execute(async (tx) => {
    // A write that has begun and is not committed: it cannot see an association that is created now.
    await sql`update kv_secrets set revision = revision + 1 where path = ${secret}`.execute(tx);
    set = service.set(type, destinationName, secret);
    await transactionWaits();
  });
  await set;
  expect(await service.associations(type, destinationName, secret)).toMatchObject([{ sync_status: 'SYNCED' }]);
});

test('a batch that associates secrets waits for a write of one of them', async () => {
  const destinationName = await service.destination(type);
  const folder = service.name('folder');
  const secret = await service.secret({ value: 'before' }, `${folder}/app`);
  const fields = { mount: 'secret', secret_prefix: `${folder}/` };
  await service.ask('POST', `sys/sync/destinations/${type}/${destinationName}/associations/set`, fields);
  let sweep: Promise<unknown> = Promise.resolve();
  await service.store.db.transaction().execute(async (tx) => {
    await sql`update kv_secrets set revision = revision + 1 where path = ${secret}`.execute(tx);
    sweep = service.sweep();
    await transactionWaits();
    expect(await service.associations(type, destinationName, secret)).toEqual([]);
  });
  await sweep;
  await service.untilQuiet();
  expect(await service.associations(type, destinationName, secret)).toMatchObject([{ sync_status: 'SYNCED' }]);
});

test('racing writes and new associations leave no copy with an older value', async () => {
  const destinationName = await service.destination(type);
  const secrets: string[] = [];
  for (let round = 0; round < 12; round += 1) {
    const secret = await service.secret({ value: 'first' });
    secrets.push(secret);
    await Promise.all([
      ...[1, 2, 3].map((n) => service.ask('POST', `secret/data/${secret}`, { data: { value: `${round}.${n}` } })),
      service.set(type, destinationName, secret),
    ]);
  }
  await service.untilQuiet();
  for (const secret of secrets) {
    const [{ external_name } = { external_name: '' }] = await service.associations(type, destinationName, secret);
    const { data } = await service.ask('GET', `secret/data/${secret}`);
    expect(service.fake(type).objects().get(external_name)?.value).toBe(JSON.stringify(data['data']));
  }
});

test('an association is not created at a path that its mount leaves meanwhile', async () => {
  const destinationName = await service.destination(type);
  await service.ask('POST', 'sys/mounts/early', { type: 'kv', options: { version: '2' } });
  const secret = service.name('app');
  await service.ask('POST', `early/data/${secret}`, { data: { v: '1' } });
  const at = (verb: string) => `sys/sync/destinations/${type}/${destinationName}/associations/${verb}`;
  let set: ReturnType<typeof service.ask> | undefined;
  await service.store.db.transaction().execute(async (tx) => {
    await sql`select 1 from destinations where name = ${destinationName} for update`.execute(tx);
    set = service.ask('POST', at('set'), { mount: 'early', secret_name: secret });
    await transactionWaits();
    expect((await service.ask('POST', 'sys/remount', { from: 'early', to: 'late' })).status).toBeLessThan(300);
  });
  const answer = await set;
  expect(answer?.status).toBe(400);
  expect(answer?.errors.join()).toContain('no mount at "early/"');
  expect(await service.associations(type, destinationName, secret)).toEqual([]);
});

async function transactionWaits(): Promise<void> {
  for (let looks = 0; looks < 2_000; looks += 1) {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(service.store.db);
    if (rows.length > 0) return;
  }
  throw new Error('no transaction waits');
}
