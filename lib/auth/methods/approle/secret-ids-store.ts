import { sql, type Transaction } from 'kysely';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import type { Role } from './role.ts';
import type { ApproleSecretIdsTable } from './tables.ts';

/** A secret id as it is kept: by its hash. */
export interface SecretId {
  readonly hash: Buffer;
  readonly accessor: string;
  readonly num_uses: number;
  readonly uses_left: number;
  readonly ttl: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly cidrs: readonly string[];
  readonly token_cidrs: readonly string[];
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly expire_at: Date | null;
}

export type NewSecretId = Pick<SecretId, 'accessor' | 'num_uses' | 'ttl' | 'metadata' | 'cidrs' | 'token_cidrs'>;

export const hashOfSecretId = ({ barrier }: Pick<Store, 'barrier'>, mountId: string, secretId: string): Buffer =>
  barrier.mac('approle-secret-id', `${mountId}/${secretId}`);

/** What is neither expired nor used up, of the secret id `s`. */
export const lasting = sql`(s.expire_at is null or s.expire_at > now()) and (s.num_uses = 0 or s.uses_left > 0)`;

const columns = sql.raw(
  [
    ...['hash', 'accessor', 'num_uses', 'uses_left', 'ttl', 'metadata', 'cidrs', 'token_cidrs', 'created_at'],
    ...(['updated_at', 'expire_at'] satisfies readonly (keyof ApproleSecretIdsTable)[]),
  ]
    .map((name) => `s.${name}`)
    .join(', '),
);

/** False: the role has one of this hash, or is gone. */
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

/** By its hash or its accessor; undefined: there is none that lasts. */
export async function findSecretId(
  { db }: Pick<Store, 'db'>,
  role: Role,
  by: { readonly hash: Buffer } | { readonly accessor: string },
): Promise<SecretId | undefined> {
  const { rows } = await sql<SecretId>`
    select ${columns} from approle_secret_ids s
     where s.role = ${role.id}::uuid and ${matching(by)} and ${lasting}`.execute(db);
  return rows[0];
}

const matching = (by: { readonly hash: Buffer } | { readonly accessor: string }) =>
  'hash' in by ? sql`s.hash = ${by.hash}` : sql`s.accessor = ${by.accessor}`;

/** False: there was none. */
export async function deleteSecretId(
  { db }: Pick<Store, 'db'>,
  role: Role,
  by: { readonly hash: Buffer } | { readonly accessor: string },
): Promise<boolean> {
  const { rows } = await sql`
    delete from approle_secret_ids s where s.role = ${role.id}::uuid and ${matching(by)} returning 1`.execute(db);
  return rows.length > 0;
}

/** Accessors behind `after`, by bytes. */
export async function accessors(
  { db }: Pick<Store, 'db'>,
  role: Role,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ accessor: string }>`
    select s.accessor from approle_secret_ids s
     where s.role = ${role.id}::uuid and s.accessor > ${after} and ${lasting}
     order by s.accessor limit ${limit}`.execute(db);
  return rows.map(({ accessor }) => accessor);
}

/** What a login needs to know of a secret id. */
export type UsedSecretId = Pick<SecretId, 'num_uses' | 'metadata' | 'cidrs' | 'token_cidrs'>;

/** Takes one use of a secret id with limited uses; false: there is none left. */
export async function takeUse({ db }: Pick<Store, 'db'>, role: Role, hash: Buffer): Promise<boolean> {
  const { rows } = await sql<{ uses_left: number }>`
    update approle_secret_ids s
       set uses_left = uses_left - 1, updated_at = now(),
           -- If the process ends before it is deleted, the sweep finds it.
           expire_at = case when s.uses_left = 1 then now() else s.expire_at end
     where s.role = ${role.id}::uuid and s.hash = ${hash} and s.uses_left > 0 and ${lasting}
    returning s.uses_left`.execute(db);
  if (rows[0]?.uses_left === 0) await deleteSecretId({ db }, role, { hash });
  return rows.length > 0;
}

/** Removes some secret ids of a mount; answers as many texts. */
export async function removeSecretIds(
  tx: Transaction<Database>,
  mountId: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ accessor: string }>`
    delete from approle_secret_ids where (role, hash) in (
      select s.role, s.hash from approle_secret_ids s join approle_roles r on r.id = s.role
       where r.mount_id = ${mountId}::uuid limit ${limit})
    returning accessor`.execute(tx);
  return rows.map(({ accessor }) => accessor);
}

/** Removes what has expired, of all mounts or of one. */
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
