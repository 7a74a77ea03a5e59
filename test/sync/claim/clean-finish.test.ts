import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { cleanFinishStatement, isClean } from '#sync/claim/finish.ts';
import { finishStatement } from '#sync/claim/finish-statement.ts';
import type { Finish, WrittenObject } from '#sync/model/finish.ts';
import { testStore } from '../../store/stores.ts';

let store: OpenStore;
let destination = '';
beforeAll(async () => {
  store = await testStore();
  const { rows } = await sql<{ id: string }>`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at)
    values ('cloud-a-sm', 'd', '', 'secret-path', '{}', '{}', false, now()) returning id::text as id`.execute(store.db);
  destination = rows[0]?.id ?? '';
  return () => store.close();
});

const object = (name: string): WrittenObject => ({
  name_key: name,
  sub_key: '',
  remote_version: 'a "quoted" \\ version, {braced}',
  fingerprint: '\\x00ff27',
  tag_keys: [],
  noted: true,
});
const record = {
  sub_key: '',
  external_name: 'n "x" \\ {y}',
  status: 'SYNCED',
  error: null,
  updated_at: '2026-01-01T00:00:00Z',
};
const clean = (id: string, written: readonly WrittenObject[], changes: Partial<Finish> = {}): Finish => ({
  id,
  token: 't',
  generation: 3,
  done: true,
  status: 'SYNCED',
  error: null,
  records: [record],
  attempts: 0,
  retryMs: null,
  written,
  kept: [],
  removed: [],
  tombstoned: [],
  remembered: null,
  rechecked: null,
  attempt: { outcome: 'synced', durationMs: 12, calls: 1, requestId: null },
  ...changes,
});

/** A claimed association with these objects, at this generation. */
async function claimed(names: readonly string[], generation: number, token = 't'): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, status, records, updated_at, generation, observed_generation, attempts, error,
                              dirty_since, claimed_by, claimed_until)
    values (${destination}::bigint, 'cloud-a-sm', gen_random_uuid(), 'secret/', 'kv_1', 'app', 'secret-path', 't', false,
            'present', 'PENDING', '[]', now(), ${generation}, 1, 2, '{"kind":"timeout","message":"m"}', now(), ${token},
            now() + interval '1 hour')
    returning id::text as id`.execute(store.db);
  const id = rows[0]?.id ?? '';
  for (const name of names) {
    await sql`insert into sync_objects (association_id, destination_id, sub_key, external_name, name_key, mark, intended_at,
                                        tag_keys)
              values (${id}::bigint, ${destination}::bigint, '', ${name}, ${name}, 'm', now(), '{}')`.execute(store.db);
  }
  return id;
}

/** The rows of an association without its ids and times. */
async function rowsOf(id: string) {
  const associations = await sql<object>`
    select status, error, records, attempts, next_attempt_at, observed_generation, claimed_by, claimed_until,
           dirty_since is null as in_line, unconfirmed_at, recheck_at, rechecks
      from associations where id = ${id}::bigint`.execute(store.db);
  const objects = await sql<object>`
    select sub_key, written_at is not null as written, remote_version, fingerprint, tag_keys, removed_at
      from sync_objects where association_id = ${id}::bigint order by name_key`.execute(store.db);
  const attempts = await sql<object>`
    select generation, duration_ms, calls, outcome, error, request_id
      from sync_attempts where association_id = ${id}::bigint order by id`.execute(store.db);
  return [associations.rows, objects.rows, attempts.rows];
}

describe('a clean outcome', () => {
  test.each([
    ['of one object', 1, 3],
    ['of three objects', 3, 3],
    ['without an object that was called', 0, 3],
    ['that a change has overtaken', 1, 4],
  ])('%s is stored as by the statement for every outcome', async (_what, count, generation) => {
    const names = Array.from({ length: count }, (_, index) => `${_what} ${index}`);
    const [one, other] = [
      await claimed(
        names.map((name) => `${name} a`),
        generation,
      ),
      await claimed(
        names.map((name) => `${name} b`),
        generation,
      ),
    ];
    const [byClean, byAll] = [
      clean(
        one,
        names.map((name) => object(`${name} a`)),
      ),
      clean(
        other,
        names.map((name) => object(`${name} b`)),
      ),
    ];
    const { rows: cleanRows } = await cleanFinishStatement([byClean]).execute(store.db);
    const { rows } = await finishStatement([byAll]).execute(store.db);
    expect(cleanRows).toEqual(rows.map((row) => ({ ...row, id: one })));
    expect(cleanRows).toEqual([{ id: one, destination_id: destination, newer: generation > 3, purged: null }]);
    expect(await rowsOf(one)).toEqual(await rowsOf(other));
  });

  test('changes nothing once another worker has the claim', async () => {
    const id = await claimed(['lost'], 3, 'another');
    const before = await rowsOf(id);
    expect((await cleanFinishStatement([clean(id, [object('lost')])]).execute(store.db)).rows).toEqual([]);
    expect(await rowsOf(id)).toEqual(before);
  });

  test('changes only its own association', async () => {
    const [one, other] = [await claimed(['many 1'], 3), await claimed(['many 2'], 3)];
    const inputs = [clean(one, [object('many 1')]), clean(other, [object('many 2')], { generation: 2 })];
    await cleanFinishStatement(inputs).execute(store.db);
    const [[first], [second]] = [await rowsOf(one), await rowsOf(other)];
    expect(first).toMatchObject([{ observed_generation: 3, status: 'SYNCED' }]);
    expect(second).toMatchObject([{ observed_generation: 2, status: 'PENDING' }]);
  });

  test('is in the history, also after an attempt that failed', async () => {
    const id = await claimed(['told'], 3);
    const attempt = { outcome: 'retrying', durationMs: 2 ** 31 - 1, calls: 1.2, requestId: 'r-1' } as const;
    const error = { kind: 'timeout', message: 'm "x"' };
    await finishStatement([clean(id, [], { done: false, error, attempts: 1, attempt })]).execute(store.db);
    await sql`update associations set claimed_by = 't' where id = ${id}::bigint`.execute(store.db);
    await cleanFinishStatement([clean(id, [object('told')])]).execute(store.db);
    const [, , attempts] = await rowsOf(id);
    expect(attempts).toEqual([
      { generation: 3, duration_ms: 2 ** 31 - 1, calls: 1.2, outcome: 'retrying', error, request_id: 'r-1' },
      { generation: 3, duration_ms: 12, calls: 1, outcome: 'synced', error: null, request_id: null },
    ]);
  });

  test('does not include outcomes with more to record', () => {
    const all: Partial<Finish>[] = [
      { done: false },
      { status: 'UNSYNCED' },
      { error: { kind: 'internal', message: 'm' } },
      { attempts: 1 },
      { removed: ['x'] },
      { tombstoned: ['x'] },
      { remembered: { over: true, fresh: false, rechecks: 0, afterMs: null } },
      { written: [{ ...object('x'), noted: false }] },
    ];
    expect(isClean(clean('1', [object('x')]))).toBe(true);
    expect(all.map((changes) => isClean(clean('1', [object('x')], changes)))).toEqual(all.map(() => false));
  });
});
