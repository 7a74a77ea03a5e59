import { type RawBuilder, sql } from 'kysely';

/**
 * A parameter whose value the planner cannot see. PostgreSQL reuses the generic plan of a prepared statement only while it does
 * not expect a plan for the actual values to be cheaper. With lists of ids, limits and frequent values it expects that on every
 * execution, and planning then takes as long as a small query. Use this for conditions that one plan serves well for any value.
 */
export const opaqueParameter = (value: unknown, type: 'text' | 'text[]' | 'integer'): RawBuilder<unknown> =>
  type === 'text[]' ? sql`(select ${value}::text[])::text[]` : sql`(select ${value}::${sql.raw(type)})`;
