import { type RawBuilder, sql } from 'kysely';
import { badField } from '#core/errors.ts';
import { nameKey } from '../names.ts';

interface AliasKey {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly mountAccessor: string | undefined;
}

/**
 * The condition that finds an alias of an entity or group by its id, or by its mount and name.
 *
 * @throws AppError `bad-request` when neither is complete
 */
export function aliasCondition({ id, name, mountAccessor }: AliasKey): RawBuilder<unknown> {
  if (id !== undefined) return sql`id = ${id}`;
  if (name === undefined || mountAccessor === undefined)
    throw badField(['id', 'mount_accessor', 'name'], "'id' or 'mount_accessor' and 'name' must be provided");
  return sql`mount_accessor = ${mountAccessor} and name_key = ${nameKey(name)}`;
}
