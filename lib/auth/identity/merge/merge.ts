import { sql, type Transaction } from 'kysely';
import { badField, invalid } from '#core/errors.ts';
import { problemOf } from '#core/problem.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import type { IdentityParts } from '../parts.ts';
import { type AliasChoice, clashesOf, type MergedAlias, mergedAliasColumns } from './clashes.ts';

export interface Merge extends AliasChoice {
  /** The target keeps its MFA secret where both have one of the same method. */
  readonly force: boolean;
}

/**
 * Merges entities into one: it takes over aliases, memberships and tokens of the sources, but not their policies and metadata.
 * Returns the aliases that clash; in that case nothing changes.
 *
 * @throws AppError `bad-request`
 */
export async function mergeEntities(
  { store, secondFactors }: IdentityParts,
  namespaceId: string,
  merge: Merge,
): Promise<readonly MergedAlias[]> {
  return store.transaction(async (tx) => {
    await lockEntities(tx, namespaceId, merge);
    const conflicts = await secondFactors.conflicts(tx, merge.from, merge.to);
    if (conflicts.length > 0 && !merge.force) throw invalid(conflicts.map((text) => problemOf('force', text)));
    const { dropped, clashes } = clashesOf(await aliasesOf(tx, merge), merge);
    if (clashes.length > 0) return clashes;
    await secondFactors.move(tx, merge.from, merge.to);
    await moveAll(tx, merge, dropped);
    return [];
  });
}

/** Locks the entities in one order, so that concurrent merges run one after the other. */
async function lockEntities(tx: Transaction<Database>, namespaceId: string, { from, to }: Merge): Promise<void> {
  const { rows } = await rowsOf({ id: text })`
    select id from entities where namespace_id = ${namespaceId} and id = any(${[to, ...from]}::text[])
     order by id for update`.execute(tx);
  const found = new Set(rows.map(({ id }) => id));
  if (!found.has(to)) throw badField('to_entity_id', 'entity id to merge to is invalid');
  if (!from.every((id) => found.has(id))) throw badField('from_entity_ids', 'entity id to merge from is invalid');
}

async function aliasesOf(tx: Transaction<Database>, { from, to }: Merge): Promise<readonly MergedAlias[]> {
  const { rows } = await rowsOf(mergedAliasColumns)`
    select a.id, a.entity_id, e.name as entity_name, a.mount_accessor, a.name
      from entity_aliases a join entities e on e.id = a.entity_id
     where a.entity_id = any(${[to, ...from]}::text[]) order by a.created_at, a.id`.execute(tx);
  return rows;
}

async function moveAll(tx: Transaction<Database>, { from, to }: Merge, dropped: readonly string[]): Promise<void> {
  const others = sql`any(${from}::text[])`;
  await sql`delete from entity_aliases where id = any(${dropped}::text[])`.execute(tx);
  await sql`update entity_aliases set entity_id = ${to}, merged_from = merged_from || entity_id, updated_at = now()
             where entity_id = ${others}`.execute(tx);
  await sql`insert into group_entities (entity_id, group_id)
            select ${to}, id from identity_groups
             where id in (select group_id from group_entities where entity_id = ${others})
             order by id for key share
            on conflict do nothing`.execute(tx);
  await sql`update merged_entities set to_id = ${to} where to_id = ${others}`.execute(tx);
  await sql`insert into merged_entities (from_id, to_id) select unnest(${from}::text[]), ${to}`.execute(tx);
  await sql`delete from entities where id = ${others}`.execute(tx);
  await sql`update entities set version = version + 1, updated_at = now() where id = ${to}`.execute(tx);
}
