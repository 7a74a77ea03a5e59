import { sql } from 'kysely';
import type { Store } from '../store/store.ts';

/** A name that is about to be created at the destination. */
export interface Intent {
  readonly subKey: string;
  readonly name: string;
  readonly nameKey: string;
  readonly mark: string;
  /** Of the custom tags it will have. */
  readonly tagKeys: readonly string[];
}

export interface IntentAnswer {
  readonly nameKey: string;
  readonly intendedAt: Date;
  /** The secret that has this name at the same destination already; null: the name is ours. */
  readonly takenBy: string | null;
}

/**
 * Writes down that we are about to create objects, before the first call goes out: after a crash we know that an object of
 * that name may be ours. A name that another association of the destination holds is not taken.
 */
export async function intend(
  store: Store,
  associationId: string,
  destinationId: string,
  intents: readonly Intent[],
): Promise<ReadonlyMap<string, IntentAnswer>> {
  if (intents.length === 0) return new Map();
  const { rows } = await intendStatement(associationId, destinationId, intents).execute(store.db);
  return new Map(
    rows.map((row) => [row.name_key, { nameKey: row.name_key, intendedAt: row.intended_at, takenBy: row.taken_by }]),
  );
}

/**
 * Writes down that objects are about to get these tags: should the answer be lost, they are known and can be taken away
 * again.
 */
export async function intendTags(
  store: Store,
  associationId: string,
  nameKeys: readonly string[],
  tagKeys: readonly string[],
): Promise<void> {
  if (nameKeys.length === 0) return;
  await sql`update sync_objects
               set tag_keys = array(select unnest(tag_keys) union select unnest(${tagKeys}::text[]))
             where association_id = ${associationId}::bigint and name_key = any(${nameKeys}::text[])`.execute(store.db);
}

/** Takes intents back: the name turned out to be somebody else's, so we wrote nothing. */
export async function withdraw(store: Store, associationId: string, nameKeys: readonly string[]): Promise<void> {
  if (nameKeys.length === 0) return;
  await sql`delete from sync_objects
             where association_id = ${associationId}::bigint and written_at is null and name_key = any(${nameKeys}::text[])`.execute(
    store.db,
  );
}

interface IntentRow {
  readonly name_key: string;
  readonly intended_at: Date;
  readonly taken_by: string | null;
}

// A statement does not see the rows that its own parts insert, hence the union.
const intendStatement = (associationId: string, destinationId: string, intents: readonly Intent[]) => sql<IntentRow>`
  with wanted as (
    select * from jsonb_to_recordset(${JSON.stringify(intents)}::jsonb)
      as r("subKey" text, name text, "nameKey" text, mark text, "tagKeys" jsonb)
  ),
  made as (
    insert into sync_objects (association_id, destination_id, sub_key, external_name, name_key, mark, intended_at, tag_keys)
    select ${associationId}::bigint, ${destinationId}::bigint, "subKey", name, "nameKey", mark, now(),
           array(select jsonb_array_elements_text("tagKeys"))
      from wanted
     order by "nameKey"
    on conflict do nothing
    returning name_key, intended_at
  )
  select name_key, intended_at, null::text as taken_by from made
  union all
  select o.name_key, o.intended_at,
         case when o.association_id = ${associationId}::bigint then null else a.mount_path || a.secret_name end
    from wanted w
    join sync_objects o on o.destination_id = ${destinationId}::bigint and o.name_key = w."nameKey"
    join associations a on a.id = o.association_id`;
