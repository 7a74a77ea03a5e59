import { type RawBuilder, sql } from 'kysely';

/**
 * The condition that an association is a *remnant*: it and its objects have gone, and its row stays until the rechecks are over,
 * since a late write may bring an object back. No reader sees it. An association that goes is PENDING until it has gone,
 * so this status is reported for no other one that shall be absent.
 *
 * @param table name or alias of the associations in the statement
 */
export const isRemnant = (table = 'associations'): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${table}.desired`)} = 'absent' and ${sql.ref(`${table}.status`)} = 'UNSYNCED')`;
