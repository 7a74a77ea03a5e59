import { type RawBuilder, sql } from 'kysely';

/**
 * Since when an association waits for its mark: its destination has changed, or its mount is disabled, and the page that it is on
 * has not been marked. Null: it does not wait. Whatever its row says of its status, it is PENDING until then.
 *
 * @param table alias of `associations` in the statement
 */
export const unmarkedSince = (table: string): RawBuilder<Date | null> => sql<Date | null>`coalesce((
  select m.began_at from markings m
   where m.destination_id = ${sql.ref(`${table}.destination_id`)} and ${sql.ref(`${table}.id`)} <= m.association_max
     and ${sql.ref(`${table}.desired`)} = 'present'
     and (${sql.ref(`${table}.mount_id`)}, ${sql.ref(`${table}.secret_name`)}) > (m.after_mount, m.after_secret)), (
  select m.removed_at from mounts m
   where m.id = ${sql.ref(`${table}.mount_id`)} and ${sql.ref(`${table}.updated_at`)} < m.removed_at))`;
