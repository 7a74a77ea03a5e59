import { sql } from 'kysely';
import { coalesce, splitting } from '../../core/concurrency/coalesce.ts';
import { isAway } from '../../store/postgres/failure.ts';
import type { Store } from '../../store/store.ts';

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
  /** That secret has given it up and its removal is still to be rechecked, for so many milliseconds; null: it holds it. */
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

/** An association with more names than this goes alone. */
const namesMax = 100;

/**
 * Writes down that we are about to create objects, before the first call goes out: after a crash we know that an object of
 * that name may be ours. A name that another association of the destination holds is not taken. What comes at once is one
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
  // A statement does not see what it makes itself: of two that want one name in it, the second has no answer yet.
  const open = inputs.filter(({ names }, index) => names.some(({ nameKey }) => !answers[index]?.has(nameKey)));
  if (open.length > 0) await ask(open);
  return answers;
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

/**
 * Takes intents back: the name turned out to be somebody else's, so we wrote nothing. Under a claim that has run out they stay:
 * whoever has the association now may be writing under these names.
 *
 * @param token the claim's
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

interface IntentRow {
  readonly association_id: string;
  readonly name_key: string;
  readonly intended_at: Date;
  readonly taken_by: string | null;
  readonly free_after_ms: number | null;
}

const rowsOf = (inputs: readonly Intents[]) =>
  inputs.flatMap(({ associationId, destinationId, names }) =>
    names.map((intent) => ({ ...intent, associationId, destinationId })),
  );

// Names are taken in one order, so that two statements at once never wait for each other.
const intendStatement = (inputs: readonly Intents[]) => sql<IntentRow>`
  with wanted as (
    select * from jsonb_to_recordset(${JSON.stringify(rowsOf(inputs))}::jsonb)
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
