import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import type { RequestContext } from '../../../path/contract/request.ts';

/** Which secret. */
export interface SecretLocation {
  readonly mountId: string;
  readonly path: string;
}

/** PostgreSQL's index entries end at some 2,700 bytes. */
const pathBytesMax = 2_048;

/**
 * The path of a secret below its mount, as it is stored. Slashes in front do not count. PostgreSQL cannot store U+0000, and
 * one such path would fail a whole batch of look-ups, so it is refused before.
 *
 * @throws AppError `bad-request`
 */
export function secretPath(given: string): string {
  if (given.includes('\0')) throw badRequest('the path holds the character U+0000, which cannot be stored');
  if (Buffer.byteLength(given) > pathBytesMax) throw badRequest(`the path is longer than ${pathBytesMax} bytes`);
  return given.replace(/^\/+/, '');
}

/** The path of a folder: empty for the mount itself, else with a slash at its end. */
export function folderPath(given: string): string {
  const path = secretPath(given);
  return path === '' || path.endsWith('/') ? path : `${path}/`;
}

/** @throws AppError `bad-request` for a path that cannot be stored */
export const locationOf = (context: RequestContext, given: string): SecretLocation => ({
  mountId: context.mount.id,
  path: secretPath(given),
});

/** The same for a row's existence check, which sees the whole path below the mount. */
export const locationBelow = (context: RequestContext, folder: string): SecretLocation =>
  locationOf(context, context.path.slice(folder.length));

/**
 * SQL of a table of locations, numbered from 1, for looking up many rows in one round trip; `more` are further columns, as
 * sub-selects of arrays.
 *
 * The arrays stand in sub-selects so that the planner cannot see how long they are: it would make a new plan for every
 * call instead of keeping one, which takes longer than the look-up.
 */
export function locationsTable(
  locations: readonly SecretLocation[],
  ...more: readonly RawBuilder<unknown>[]
): RawBuilder<unknown> {
  const columns = [
    sql`(select ${locations.map(({ mountId }) => mountId)}::uuid[])`,
    sql`(select ${locations.map(({ path }) => path)}::text[])`,
    ...more,
  ];
  return sql`unnest(${sql.join(columns)}) with ordinality`;
}
