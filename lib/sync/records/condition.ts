import { type RawBuilder, sql } from 'kysely';
import { startsWith } from '#store/sql/prefix.ts';
import { isRemnant } from '../model/status.ts';
import type { RecordFilter } from './filter.ts';

/**
 * The condition that an association of the namespace matches the filter, on `a` (associations) and `d` (its destination). It decides which
 * rows match, not how they are found: a statement over many rows has to go along an index besides.
 */
export const recordCondition = (filter: RecordFilter, namespaceId: string): RawBuilder<unknown> =>
  allOf([sql`d.namespace_id = ${namespaceId}`, ofDestination(filter), ofAssociation(filter)]);

/** The part of the condition that concerns the destination `d`. */
export const ofDestination = ({ type, name }: RecordFilter): RawBuilder<unknown> =>
  allOf([
    type === undefined ? undefined : sql`d.type = ${type}`,
    name === undefined ? undefined : sql`d.name = ${name}`,
  ]);

/** The part of the condition that concerns the association `a`. A remnant never matches. */
export const ofAssociation = ({
  statuses,
  kinds,
  mount,
  prefix,
  secret,
  rule,
  ruleId,
  unconfirmed,
  drift,
  ids,
}: RecordFilter): RawBuilder<unknown> =>
  allOf([
    sql`not ${isRemnant('a')}`,
    statuses && sql`a.status = any(${statuses}::text[])`,
    kinds && sql`a.error is not null and a.error ->> 'kind' = any(${kinds}::text[]) and not ${isNotAttempted}`,
    mount === undefined ? undefined : sql`a.mount_path = ${mount}`,
    prefix === undefined ? undefined : startsWith('a.secret_name', prefix),
    secret === undefined ? undefined : sql`a.secret_name = ${secret}`,
    rule === undefined ? undefined : sql`a.rule_id = ${ruleId ?? null}::bigint`,
    drift && sql`a.drift is not null and a.drift = any(${drift}::text[])`,
    ids && sql`a.id = any(${ids}::bigint[])`,
    unconfirmed === undefined ? undefined : sql`(a.unconfirmed_at is not null) = ${unconfirmed}::boolean`,
  ]);

/** A change without an attempt so far: its error is that of an earlier generation, and reads do not show it. */
const isNotAttempted = sql`(a.status = 'PENDING' and a.attempts = 0)`;

/** The conditions that are given, all together. */
export const allOf = (conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<unknown> => {
  const given = conditions.filter((one) => one !== undefined);
  return given.length === 0 ? sql`true` : sql.join(given, sql` and `);
};
