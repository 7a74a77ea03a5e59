import { type RawBuilder, sql } from 'kysely';
import { badField } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { IndexedPaths } from '#store/postgres/statements/folder-names.ts';
import type { From } from '#store/sql/prepared.ts';

/** The location of a secret. */
export interface SecretLocation {
  readonly mountId: string;
  readonly path: string;
}

/** PostgreSQL index entries hold about 2,700 bytes. */
const pathBytesMax = 2_048;

/**
 * The stored path of a secret below its mount. Leading slashes are dropped. PostgreSQL cannot store U+0000, and one such path
 * would fail a whole batch of lookups, so it is refused here.
 *
 * @throws AppError `bad-request`
 */
export function secretPath(given: string): string {
  if (given.includes('\0')) throw badField('path', 'the path contains the character U+0000, which cannot be stored');
  if (Buffer.byteLength(given) > pathBytesMax) throw badField('path', `the path is longer than ${pathBytesMax} bytes`);
  return given.replace(/^\/+/, '');
}

/** The path of a folder: empty for the mount itself, otherwise with a final slash. */
export function folderPath(given: string): string {
  const path = secretPath(given);
  return path === '' || path.endsWith('/') ? path : `${path}/`;
}

/** @throws AppError `bad-request` for a path that cannot be stored */
export const locationOf = (context: RequestContext, given: string): SecretLocation => ({
  mountId: context.mount.id,
  path: secretPath(given),
});

/** The same for a row's existence check, which gets the whole path below the mount. */
export const locationBelow = (context: RequestContext, folder: string): SecretLocation =>
  locationOf(context, context.path.slice(folder.length));

/**
 * SQL for a table of the locations of the input, numbered from 1, to look up many rows in one round trip. `more` are further
 * columns, as sub-selects of arrays.
 *
 * Sub-selects hide the length of the arrays from the planner. Otherwise it would make a new plan for every call, which takes
 * longer than the lookup.
 */
export function locationsTable(
  from: From<readonly SecretLocation[]>,
  ...more: readonly RawBuilder<unknown>[]
): RawBuilder<unknown> {
  const columns = [
    sql`(select ${from((locations) => locations.map(({ mountId }) => mountId))}::uuid[])`,
    sql`(select ${from((locations) => locations.map(({ path }) => path))}::text[])`,
    ...more,
  ];
  return sql`unnest(${sql.join(columns)}) with ordinality`;
}

/** The paths of all secrets of a mount, including deleted ones, whose metadata remains. */
export const secretPaths = (mountId: string): IndexedPaths => ({
  path: sql`path`,
  of: sql`kv_secrets where mount_id = ${mountId}::uuid`,
});
