import { sql } from 'kysely';
import { coalesce, splitting } from '#core/concurrency/coalesce.ts';
import { isAway } from '#store/postgres/failure.ts';
import { bigintText, float, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** A name that is about to be created at the destination. */
export interface Intent {
  readonly subKey: string;
  readonly name: string;
  readonly nameKey: string;
  readonly mark: string;
  /** The keys of the custom tags it will have. */
  readonly tagKeys: readonly string[];
}

export interface IntentAnswer {
  readonly nameKey: string;
  readonly intendedAt: Date;
  /** The secret that already has this name at the same destination; null when the name is ours. */
  readonly takenBy: string | null;
  /** Milliseconds until the removal of that secret's object has been rechecked; null when that secret still has the name. */
  readonly freeAfterMs: number | null;
}

/** The names that an association is about to create. */
export interface Intents {
  readonly associationId: string;
  readonly destinationId: string;
  readonly names: readonly Intent[];
}

/** Answers by name key. */
export type Intend = (intents: Intents) => Promise<ReadonlyMap<string, IntentAnswer>>;

/** An association with more names than this gets a separate statement. */
const namesMax = 100;

/**
 * Records that we are about to create objects, before the first call goes out. After a crash we then know that an object of
 * that name may be ours. A name that another association of the destination holds is not taken. Concurrent intents share one
 * statement.
 */
export function intends(store: Store): Intend {
  const together = coalesce(
    splitting((inputs: readonly Intents[]) => intendAll(store, inputs), isAway),
    { batchSizeMax: 64, batchesMax: 2 },
  );
  return async (intents) => {
    if (intents.names.length === 0) return new Map();
    if (intents.names.length <= namesMax) return (await together(intents))();
    const [answers = new Map()] = await intendAll(store, [intents]);
    return answers;
  };
}

type Answers = Map<string, IntentAnswer>;

async function intendAll(store: Store, inputs: readonly Intents[]): Promise<readonly Answers[]> {
  const answers = inputs.map((): Answers => new Map());
  const indexOf = new Map(inputs.map(({ associationId }, index) => [associationId, index] as const));
  const ask = async (asked: readonly Intents[]) => {
    const { rows } = await intendStatement(asked).execute(store.db);
    for (const { association_id, name_key, intended_at, taken_by, free_after_ms } of rows) {
      const own = answers[indexOf.get(association_id) ?? -1];
      const answer = { nameKey: name_key, intendedAt: intended_at, takenBy: taken_by, freeAfterMs: free_after_ms };
      own?.set(name_key, answer);
    }
  };
  await ask(inputs);
  // A statement does not see the rows it inserts: when two inputs want the same name, the second has no answer yet.
  const open = inputs.filter(({ names }, index) => names.some(({ nameKey }) => !answers[index]?.has(nameKey)));
  if (open.length > 0) await ask(open);
  return answers;
}

/**
 * Records that objects are about to get these tags, so that they can be removed later even if the answer to the put is
 * lost.
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

/**
 * Deletes intents whose name turned out to be taken, so that we wrote nothing. When the claim has expired they stay, because
 * the worker that now has the association may be writing under these names.
 *
 * @param token of the claim
 */
export async function withdraw(
  store: Store,
  associationId: string,
  token: string,
  nameKeys: readonly string[],
): Promise<void> {
  if (nameKeys.length === 0) return;
  await sql`
    with held as (
      select id from associations where id = ${associationId}::bigint and claimed_by = ${token} for no key update
    )
    delete from sync_objects o using held
     where o.association_id = held.id and o.written_at is null and o.name_key = any(${nameKeys}::text[])`.execute(
    store.db,
  );
}

const intentRowColumns = {
  association_id: bigintText,
  name_key: text,
  intended_at: timestamptz,
  taken_by: nullable(text),
  free_after_ms: nullable(float),
};

const namesOf = (inputs: readonly Intents[]) =>
  inputs.flatMap(({ associationId, destinationId, names }) =>
    names.map((intent) => ({ ...intent, associationId, destinationId })),
  );

// Names are always taken in the same order, so that two concurrent statements cannot deadlock.
const intendStatement = (inputs: readonly Intents[]) => rowsOf(intentRowColumns)`
  with wanted as (
    select * from jsonb_to_recordset(${JSON.stringify(namesOf(inputs))}::jsonb)
      as r("associationId" bigint, "destinationId" bigint, "subKey" text, name text, "nameKey" text, mark text, "tagKeys" text[])
  ),
  made as (
    insert into sync_objects (association_id, destination_id, sub_key, external_name, name_key, mark, intended_at, tag_keys)
    select "associationId", "destinationId", "subKey", name, "nameKey", mark, now(), "tagKeys"
      from wanted
     order by "destinationId", "nameKey" collate "C", "associationId"
    on conflict do nothing
    returning association_id, name_key, intended_at
  )
  select association_id, name_key, intended_at, null::text as taken_by, null::float8 as free_after_ms from made
  union all
  select w."associationId", o.name_key, o.intended_at,
         case when o.association_id = w."associationId" then null else a.mount_path || a.secret_name end,
         case when o.removed_at is not null
           then greatest(coalesce(extract(epoch from a.recheck_at - now()) * 1000, 0), 0)::float8 end
    from wanted w
    join sync_objects o on o.destination_id = w."destinationId" and o.name_key = w."nameKey"
    join associations a on a.id = o.association_id`;
