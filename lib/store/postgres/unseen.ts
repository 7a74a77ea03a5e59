import { type RawBuilder, sql } from 'kysely';

/**
 * A parameter whose value the planner does not see. PostgreSQL keeps the plan of a statement only if it expects nothing better of
 * one that is made for the values; lists of ids, limits and frequent values let it expect that at each execution, and planning then
 * takes as long as a small query. For conditions that are served well by one plan, whatever the value.
 */
export const unseen = (value: unknown, type: 'text' | 'text[]' | 'integer'): RawBuilder<unknown> =>
  type === 'text[]' ? sql`(select ${value}::text[])::text[]` : sql`(select ${value}::${sql.raw(type)})`;
