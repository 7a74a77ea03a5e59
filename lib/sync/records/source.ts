import { type RawBuilder, sql } from 'kysely';
import type { SyncStatus } from '../model/status.ts';
import { ofAssociation } from './condition.ts';
import type { RecordFilter } from './filter.ts';

/**
 * SQL for the associations of one destination that match a filter: rows `id, mount_id, secret_name, mount_path, status` in the order of
 * mounts and secrets, at most `limit`. It refers to the destination as `d (id, after_mount, after_secret)` and returns what comes after that
 * mount and secret. `more` is a further condition on the association `a`.
 *
 * It goes along the index that the filter narrows most: that of the kind of error, of the status, of drift, of unconfirmed calls, of the rule, or
 * the unique one of destination, mount and secret. All six have the same order, so with a filter on secrets too, only the matching range of each mount
 * is read. The one filter that no index narrows is `SYNCED`: nearly all associations have this status.
 */
export function recordSource(
  filter: RecordFilter,
  limit: number,
  more: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const along = alongIndex(filter);
  const matching = sql`${ofAssociation(filter)} and ${more}`;
  const found = (place: RawBuilder<unknown>) => sql`
    select a.id, a.mount_id, a.secret_name, a.mount_path, a.status from ${along.values}
     cross join lateral (
       select * from associations a
        where a.destination_id = d.id and ${along.where} and ${place} and ${matching}
        order by a.mount_id, a.secret_name limit ${limit}::int) a`;
  const inOrder = sql`order by mount_id, secret_name limit ${limit}::int`;
  if (filter.mount === undefined && filter.prefix === undefined && filter.secret === undefined)
    return sql`${found(sql`(a.mount_id, a.secret_name) > (d.after_mount, d.after_secret)`)} ${inOrder}`;
  // An equality in place of the row comparison, so that the names of the mount are a range of the index.
  const inMount = sql`a.mount_id = m.mount_id
    and a.secret_name > case when m.mount_id = d.after_mount then d.after_secret else '' end`;
  return sql`
    select a.* from (${mountsOfDestination}) m cross join lateral (${found(inMount)} ${inOrder}) a
     where m.mount_id >= d.after_mount and (${filter.mount ?? null}::text is null or m.mount_path = ${filter.mount ?? null})
     ${inOrder}`;
}

/** The mounts that have an association with the destination `d`: one look into the unique index for each. */
export const mountsOfDestination = sql`
  with recursive m as (
    (select mount_id, mount_path from associations where destination_id = d.id order by mount_id limit 1)
    union all
    select next.* from m cross join lateral (
      select mount_id, mount_path from associations where destination_id = d.id and mount_id > m.mount_id order by mount_id limit 1) next
  )
  select * from m`;

interface Along {
  /** One row for each value of the second column of the index. */
  readonly values: RawBuilder<unknown>;
  /** Literals as the partial indexes have them: PostgreSQL needs them for planning. */
  readonly where: RawBuilder<unknown>;
}

function alongIndex({ kinds, statuses, unconfirmed, drift, rule, ruleId }: RecordFilter): Along {
  if (kinds !== undefined)
    return { values: valuesOf(kinds), where: sql`a.error is not null and a.error ->> 'kind' = v.value` };
  if (statuses !== undefined && !statuses.includes(common))
    return { values: valuesOf(statuses), where: sql`a.status <> ${sql.lit(common)} and a.status = v.value` };
  return { values: sql`(values (1)) v`, where: whereOf() };

  /** A rule may have made very many, so it comes last. */
  function whereOf() {
    if (drift !== undefined) return sql`a.drift is not null`;
    if (unconfirmed === true) return sql`a.unconfirmed_at is not null`;
    if (rule !== undefined) return sql`a.rule_id is not null and a.rule_id = ${ruleId ?? null}::bigint`;
    return sql`true`;
  }
}

const common: SyncStatus = 'SYNCED';

const valuesOf = (values: readonly string[]) => sql`unnest(${values}::text[]) v (value)`;
