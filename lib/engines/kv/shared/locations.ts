import { type RawBuilder, sql } from 'kysely';
import type { SecretLocation } from './secret-path.ts';

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
