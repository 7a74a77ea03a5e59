import { type Kysely, type RawBuilder, sql } from 'kysely';
import { uuid } from '#core/ids.ts';
import type { JsonObject } from '#core/json/json.ts';
import { int } from '#store/sql/kinds.ts';
import { type From, prepared } from '#store/sql/prepared.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import type { EngineParts } from '../../contract.ts';
import { gatheredWrites, type TableWrite, writesTable } from '../shared/gathered-writes.ts';
import { sealVersion } from '../shared/sealing.ts';
import type { SecretLocation } from '../shared/secret-path.ts';

/** Writes a secret. @throws AppError `not-found` when the mount was removed in the meantime */
export type SecretWriter = (location: SecretLocation, data: JsonObject) => Promise<undefined>;

/** Writes secrets; concurrent writes share one round trip. */
export function secretWriter({ store }: EngineParts): SecretWriter {
  const put = gatheredWrites<TableWrite, true>({
    one: (write) => putOne(store.db, write),
    many: (writes) => putMany(store.db, writes),
    alone: (write) => store.transaction((tx) => putOne(tx, write)),
  });
  return async (location, data) => {
    const id = uuid();
    const sealed = await sealVersion(store.barrier, { ...location, id }, data);
    await put({ ...location, id, data: sealed });
    return undefined;
  };
}

/**
 * Writes a secret as version 1, so that a mount upgraded to KV version 2 finds it as version 1. The lock on the secret's row
 * serializes concurrent writes.
 */
async function putOne(db: Kysely<Database>, { mountId, path, id, data }: TableWrite): Promise<true> {
  await sql`
    with input as (
      select ${mountId}::uuid as mount_id, ${path}::text collate "C" as path, ${id}::uuid as id, ${data}::bytea as data,
             statement_timestamp() as now
    ),
    secret as (${takeSecrets(sql`select * from input`)}),
    version as (${putVersions})
    select from secret`.execute(db);
  return true;
}

/**
 * The same for several secrets, locked in order, so that two batches cannot deadlock. New secrets need their mount; the batch
 * does not wait for a mount that is being removed, and skips its secrets.
 */
async function putMany(db: Kysely<Database>, writes: readonly TableWrite[]): Promise<readonly (true | undefined)[]> {
  const done = new Set((await putStatement(db, writes)).map(({ n }) => n));
  return writes.map((_, index) => (done.has(index + 1) ? true : undefined));
}

const putStatement = prepared(
  { n: int },
  (from: From<readonly TableWrite[]>) => rowsOf({ n: int })`
    with input as materialized (${writesTable(from)}),
    known as materialized (
      select i.n from input i
       cross join lateral (select from kv_secrets where mount_id = i.mount_id and path = i.path offset 0) s
    ),
    mount as (
      select id from mounts where id in (select mount_id from input where n not in (select n from known))
         for key share skip locked
    ),
    ready as (
      select * from input where n in (select n from known) or mount_id in (select id from mount) order by mount_id, path
    ),
    secret as (${takeSecrets(sql`select * from ready`)}),
    version as (${putVersions})
    select i.n from input i join secret s on s.mount_id = i.mount_id and s.path = i.path`,
);

const takeSecrets = (input: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into kv_secrets as s (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions,
                               cas_required, delete_version_after)
  select i.mount_id, i.path, 1, 0, i.now, i.now, 0, false, 0 from (${input}) i
  on conflict (mount_id, path) do update
    set updated_time = excluded.updated_time, revision = s.revision + 1
  returning s.mount_id, s.path, s.updated_time`;

const putVersions = sql`
  insert into kv_versions (mount_id, path, version, id, data, created_time, destroyed, deletion_seen)
  select s.mount_id, s.path, 1, i.id, i.data, s.updated_time, false, false
    from secret s join input i on i.mount_id = s.mount_id and i.path = s.path
  on conflict (mount_id, path, version) do update
    set id = excluded.id, data = excluded.data, created_time = excluded.created_time`;
