import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { stageOf } from '../../support/flow/open-service.ts';

const type = 'cloud-b-kv';
const stage = stageOf([type]);

test('an association made while its secret is being written ends with the value that was written', async () => {
  const place = await stage.destination(type);
  const secret = await stage.secret({ value: 'before' });
  let set: Promise<unknown> = Promise.resolve();
  await stage.store.db.transaction().execute(async (tx) => {
    // A write that has begun and is not committed: it cannot see an association that is made now.
    await sql`update kv_secrets set revision = revision + 1 where path = ${secret}`.execute(tx);
    set = stage.set(type, place, secret);
    await somebodyWaits();
  });
  await set;
  expect(await stage.associations(type, place, secret)).toMatchObject([{ sync_status: 'SYNCED' }]);
});

test('writes and new associations that race leave no copy with an older value', async () => {
  const place = await stage.destination(type);
  const secrets: string[] = [];
  for (let round = 0; round < 12; round += 1) {
    const secret = await stage.secret({ value: 'first' });
    secrets.push(secret);
    await Promise.all([
      ...[1, 2, 3].map((n) => stage.ask('POST', `secret/data/${secret}`, { data: { value: `${round}.${n}` } })),
      stage.set(type, place, secret),
    ]);
  }
  await stage.untilQuiet();
  for (const secret of secrets) {
    const [{ external_name } = { external_name: '' }] = await stage.associations(type, place, secret);
    const { data } = await stage.ask('GET', `secret/data/${secret}`);
    expect(stage.fake(type).objects().get(external_name)?.value).toBe(JSON.stringify(data['data']));
  }
});

test('an association asked for at a path that its mount leaves meanwhile is not made', async () => {
  const place = await stage.destination(type);
  await stage.ask('POST', 'sys/mounts/early', { type: 'kv', options: { version: '2' } });
  const secret = stage.name('app');
  await stage.ask('POST', `early/data/${secret}`, { data: { v: '1' } });
  const at = (verb: string) => `sys/sync/destinations/${type}/${place}/associations/${verb}`;
  let set: ReturnType<typeof stage.ask> | undefined;
  await stage.store.db.transaction().execute(async (tx) => {
    await sql`select 1 from destinations where name = ${place} for update`.execute(tx);
    set = stage.ask('POST', at('set'), { mount: 'early', secret_name: secret });
    await somebodyWaits();
    expect((await stage.ask('POST', 'sys/remount', { from: 'early', to: 'late' })).status).toBeLessThan(300);
  });
  const answer = await set;
  expect(answer?.status).toBe(400);
  expect(answer?.errors.join()).toContain('no mount at "early/"');
  expect(await stage.associations(type, place, secret)).toEqual([]);
});

async function somebodyWaits(): Promise<void> {
  for (let looks = 0; looks < 2_000; looks += 1) {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(stage.store.db);
    if (rows.length > 0) return;
  }
  throw new Error('nobody waits');
}
