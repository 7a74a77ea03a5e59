import { type RawBuilder, sql } from 'kysely';
import { folderNames } from '#store/postgres/statements/folder-names.ts';
import { bytea } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { leaseName } from './id.ts';

/** The number of leases that one statement marks. */
const stepSize = 1_000;

/** The character after the slash: `a0` sorts after all paths that start with `a/`. */
const afterSlash = '0';

/** The indexed expression. The slash keeps the paths of a folder together. */
const folder = sql`(path || '/') collate "C"`;

/** A prefix of the paths of a namespace. */
export interface LeasePrefix {
  readonly namespaceId: string;
  readonly path: string;
}

const of = ({ namespaceId }: LeasePrefix) => sql`namespace_id = ${namespaceId}`;

/** Matches paths at and below a prefix; the empty prefix matches all. */
const within = (prefix: string): RawBuilder<unknown> =>
  prefix === '' ? sql`true` : sql`${folder} >= ${`${prefix}/`}::text and ${folder} < ${prefix + afterSlash}::text`;

const lasting = sql`expire_at > now() and revoked_at is null and num_uses >= 0`;

/** Names of leases directly below a path, which sort before the folders. */
export async function leaseNames(
  { db }: Pick<Store, 'db'>,
  prefix: LeasePrefix,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const from = /^h[0-9a-f]{64}(\.|$)/.test(after) ? Buffer.from(after.slice(1, 65), 'hex') : Buffer.alloc(0);
  const { rows } = await rowsOf({ hash: bytea })`
    select hash from tokens where ${of(prefix)} and ${folder} = ${`${prefix.path}/`}::text and hash > ${from} and ${lasting}
     order by hash limit ${limit}`.execute(db);
  return rows.map(({ hash }) => leaseName(hash, prefix.namespaceId));
}

/** The folders directly below a prefix, with a trailing slash. */
export function leaseFolders(
  { db }: Pick<Store, 'db'>,
  prefix: LeasePrefix,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const paths = { path: folder, of: sql`tokens where ${of(prefix)} and ${lasting}` };
  return folderNames(db, paths, prefix.path === '' ? '' : `${prefix.path}/`, { after, limit });
}

/** Marks one step of the leases at or below a prefix as revoked that existed at `until`. Returns their number. */
export async function markBelow({ db }: Pick<Store, 'db'>, prefix: LeasePrefix, until: Date): Promise<number> {
  const { rows } = await sql`
    update tokens set revoked_at = now()
     where hash in (
       select hash from tokens
        where ${of(prefix)} and ${within(prefix.path)} and expire_at is not null and revoked_at is null and creation_time <= ${until}
        limit ${stepSize})
       and revoked_at is null returning 1`.execute(db);
  return rows.length;
}

export const isFullStep = (marked: number): boolean => marked === stepSize;
