import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { reapStep } from '#auth/token/revoke/reap.ts';
import { dropExpired, dropExpiredSteadily } from '#auth/token/revoke/revoke.ts';
import { silentLog } from '#core/log/log.ts';
import { tokenBench } from './setup.ts';

const bench = tokenBench();
const signal = new AbortController().signal;

/** Orphan tokens that expired `seconds` ago. */
async function ended(count: number, namespace = 'root', seconds = 60): Promise<void> {
  await sql`
    insert into tokens (hash, namespace_id, accessor, parent, policies, meta, display_name, path, type, num_uses, period,
                        explicit_max_ttl, creation_ttl, creation_time, expire_at, renewable, orphan, entity_id, role, bound_cidrs)
    select decode(md5(${namespace} || i) || md5(random()::text), 'hex'), ${namespace}, gen_random_uuid()::text, null, '{default}', null,
           'token', 'auth/token/create', 'service', 0, 0, 0, 3600, now(), now() - make_interval(secs => ${seconds}), true, true, '',
           '', '{}'
      from generate_series(1, ${count}::int) as i`.execute(bench.store.db);
}

const left = async (namespace: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from tokens where namespace_id = ${namespace} and expire_at <= now()`.execute(
    bench.store.db,
  );
  return rows[0]?.count ?? 0;
};

const namespace = async (id: string): Promise<void> => {
  await sql`insert into namespaces (id, path, custom_metadata) values (${id}, ${`${id}/`}, '{}')`.execute(
    bench.store.db,
  );
};

test('tokens of a namespace are deleted despite an older backlog of another namespace', async () => {
  await namespace('some');
  await ended(6_000, 'root', 3_600);
  await ended(10, 'some', 1);
  await dropExpired(bench.store, 1_000);
  expect(await left('some')).toBe(0);
  expect(await left('root')).toBeGreaterThan(0);
  await dropExpiredSteadily(bench.store, signal, silentLog);
  expect(await left('root')).toBe(0);
});

test('processes that delete at the same time share the work', async () => {
  await ended(8_000);
  const removed = await Promise.all([0, 1, 2].map(() => dropExpiredSteadily(bench.store, signal, silentLog)));
  expect(removed.reduce((sum, count) => sum + count)).toBe(8_000);
  expect(await left('root')).toBe(0);
});

test('an expired token with children is marked, so that no child outlives it between two steps', async () => {
  await ended(1, 'root', 5);
  await sql`
    insert into tokens (hash, accessor, parent, policies, meta, display_name, path, type, num_uses, period, explicit_max_ttl,
                        creation_ttl, creation_time, expire_at, renewable, orphan, entity_id, role, bound_cidrs)
    select decode(md5(i::text) || md5(random()::text), 'hex'), gen_random_uuid()::text, p.hash, '{default}', null, 'token',
           'auth/token/create', 'service', 0, 0, 0, 3600, now(), now() + interval '1 hour', true, false, '', '', '{}'
      from tokens p cross join generate_series(1, 2500) as i where p.expire_at <= now()`.execute(bench.store.db);
  const step = await reapStep(bench.store, 'ended');
  expect(step).toMatchObject({ seen: 1, marked: 1_000, deleted: 0 });
  const { rows } = await sql`select 1 from tokens where expire_at <= now() and revoked_at is not null`.execute(
    bench.store.db,
  );
  expect(rows).toHaveLength(1);
  const before = await bench.rows();
  expect(await dropExpired(bench.store, 1_000_000)).toBe(2_501);
  expect(await bench.rows()).toBe(before - 2_501);
});

test('everything that belongs to a token is deleted with it', async () => {
  await ended(1);
  await sql`insert into cubbyhole (token_hash, path, data)
            select hash, 'kept', 'x' from tokens where expire_at <= now()`.execute(bench.store.db);
  await dropExpiredSteadily(bench.store, signal, silentLog);
  const { rows } = await sql`select 1 from cubbyhole`.execute(bench.store.db);
  expect(rows).toEqual([]);
});

test('more namespaces than one step visits are all visited', async () => {
  await sql`insert into namespaces (id, path, custom_metadata)
            select 'n' || lpad(i::text, 4, '0'), 'n' || i || '/', '{}' from generate_series(1, 600) as i`.execute(
    bench.store.db,
  );
  await ended(3, 'n0599');
  await dropExpiredSteadily(bench.store, signal, silentLog);
  expect(await left('n0599')).toBe(0);
});
