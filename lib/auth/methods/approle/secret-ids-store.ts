import { sql, type Transaction } from 'kysely';
import type { Page } from '#path/listing.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { approleSecretIdsTable } from '#store/tables/logins.ts';
import type { Database } from '#store/tables.ts';
import type { Role } from './role.ts';

const { role: _, ...stored } = approleSecretIdsTable;

/** A secret id as it is stored: by its hash. */
export type SecretId = RowOf<typeof stored>;

export type NewSecretId = Pick<SecretId, 'accessor' | 'num_uses' | 'ttl' | 'metadata' | 'cidrs' | 'token_cidrs'>;

export const hashOfSecretId = ({ barrier }: Pick<Store, 'barrier'>, mountId: string, secretId: string): Buffer =>
  barrier.mac('approle-secret-id', `${mountId}/${secretId}`);

/** The condition that the secret id `s` is neither expired nor used up. */
export const lasting = sql`(s.expire_at is null or s.expire_at > now()) and (s.num_uses = 0 or s.uses_left > 0)`;

const columns = sql.join(Object.keys(stored).map((name) => sql.ref(`s.${name}`)));

/** False when the role already has the secret id, or was deleted. */
export async function insertSecretId(
  { db }: Pick<Store, 'db'>,
  role: Role,
  hash: Buffer,
  entry: NewSecretId,
): Promise<boolean> {
  const { rows } = await sql`
    insert into approle_secret_ids as s
           (role, hash, accessor, num_uses, uses_left, ttl, metadata, cidrs, token_cidrs, created_at, updated_at, expire_at)
    select id, ${hash}, ${entry.accessor}, ${entry.num_uses}::int, ${entry.num_uses}::int, ${entry.ttl}::int,
           ${JSON.stringify(entry.metadata)}::jsonb, ${[...entry.cidrs]}::text[], ${[...entry.token_cidrs]}::text[], now(), now(),
           case when ${entry.ttl}::int > 0 then now() + make_interval(secs => ${entry.ttl}::int) end
      from approle_roles where id = ${role.id}::uuid for key share
        on conflict (role, hash) do nothing returning 1`.execute(db);
  return rows.length > 0;
}

/** Finds a secret id by its hash or accessor. Undefined when none is valid. */
export async function findSecretId(
  { db }: Pick<Store, 'db'>,
  role: Role,
  by: { readonly hash: Buffer } | { readonly accessor: string },
): Promise<SecretId | undefined> {
  const { rows } = await rowsOf(stored)`
    select ${columns} from approle_secret_ids s
     where s.role = ${role.id}::uuid and ${matching(by)} and ${lasting}`.execute(db);
  return rows[0];
}

const matching = (by: { readonly hash: Buffer } | { readonly accessor: string }) =>
  'hash' in by ? sql`s.hash = ${by.hash}` : sql`s.accessor = ${by.accessor}`;

/** False when the secret id did not exist. */
export async function deleteSecretId(
  { db }: Pick<Store, 'db'>,
  role: Role,
  by: { readonly hash: Buffer } | { readonly accessor: string },
): Promise<boolean> {
  const { rows } = await sql`
    delete from approle_secret_ids s where s.role = ${role.id}::uuid and ${matching(by)} returning 1`.execute(db);
  return rows.length > 0;
}

/** Accessors after an accessor, in byte order. */
export async function accessors(
  { db }: Pick<Store, 'db'>,
  role: Role,
  { after, limit }: Page,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ accessor: text })`
    select s.accessor from approle_secret_ids s
     where s.role = ${role.id}::uuid and s.accessor > ${after} and ${lasting}
     order by s.accessor limit ${limit}`.execute(db);
  return rows.map(({ accessor }) => accessor);
}

/** What a login needs of a secret id. */
export type UsedSecretId = RowOf<typeof usedColumns>;

export const usedColumns = pick(stored, 'num_uses', 'metadata', 'cidrs', 'token_cidrs');

/** Counts one use of a secret id with limited uses. False when none is left. */
export async function takeUse({ db }: Pick<Store, 'db'>, role: Role, hash: Buffer): Promise<boolean> {
  const { rows } = await rowsOf({ uses_left: int })`
    update approle_secret_ids s
       set uses_left = uses_left - 1, updated_at = now(),
           -- If the process ends before it is deleted, the sweep finds it.
           expire_at = case when s.uses_left = 1 then now() else s.expire_at end
     where s.role = ${role.id}::uuid and s.hash = ${hash} and s.uses_left > 0 and ${lasting}
    returning s.uses_left`.execute(db);
  if (rows[0]?.uses_left === 0) await deleteSecretId({ db }, role, { hash });
  return rows.length > 0;
}

/** Deletes some secret ids of a mount, and returns one text for each. */
export async function removeSecretIds(
  tx: Transaction<Database>,
  mountId: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ accessor: text })`
    delete from approle_secret_ids where (role, hash) in (
      select s.role, s.hash from approle_secret_ids s join approle_roles r on r.id = s.role
       where r.mount_id = ${mountId}::uuid limit ${limit})
    returning accessor`.execute(tx);
  return rows.map(({ accessor }) => accessor);
}

/** Deletes expired secret ids of all mounts or of one. */
export async function dropExpired({ db }: Pick<Store, 'db'>, limit: number, mountId?: string): Promise<number> {
  const { rows } = await sql`
    delete from approle_secret_ids where (role, hash) in (
      select s.role, s.hash from approle_secret_ids s
       where s.expire_at <= now() and (${mountId ?? null}::uuid is null
             or exists (select 1 from approle_roles r where r.id = s.role and r.mount_id = ${mountId ?? null}::uuid))
       order by s.expire_at limit ${limit} for update of s skip locked)
    returning 1`.execute(db);
  return rows.length;
}
