import { sql, type Transaction } from 'kysely';
import { badField } from '#core/errors.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';

/** Replaces the entities of a group, which may be of any namespace. @throws AppError `bad-request` when one does not exist */
export async function setMembers(tx: Transaction<Database>, groupId: string, wanted: readonly string[]): Promise<void> {
  const ids = [...new Set(wanted)];
  await sql`delete from group_entities where group_id = ${groupId} and not entity_id = any(${ids}::text[])`.execute(tx);
  const { rows } = await rowsOf({ id: text })`
    select id from entities where id = any(${ids}::text[])
     order by id for key share`.execute(tx);
  mustAllExist(ids, rows, 'entity');
  await sql`insert into group_entities (entity_id, group_id) select unnest(${ids}::text[]), ${groupId}
            on conflict do nothing`.execute(tx);
}

/**
 * Replaces the groups in a group, which may be of any namespace.
 *
 * @throws AppError `bad-request` when one does not exist, or contains the group itself
 */
export async function setMemberGroups(
  tx: Transaction<Database>,
  groupId: string,
  wanted: readonly string[],
): Promise<void> {
  const ids = [...new Set(wanted)];
  await sql`delete from group_groups where parent_id = ${groupId} and not member_id = any(${ids}::text[])`.execute(tx);
  const { rows } = await rowsOf({ id: text })`
    select id from identity_groups where id = any(${ids}::text[])`.execute(tx);
  mustAllExist(ids, rows, 'group');
  await mustNotContain(tx, ids, groupId);
  await sql`insert into group_groups (member_id, parent_id) select unnest(${ids}::text[]), ${groupId}
            on conflict do nothing`.execute(tx);
}

/** Changes of groups wait for each other, so no concurrent change can complete a cycle. */
async function mustNotContain(tx: Transaction<Database>, ids: readonly string[], groupId: string): Promise<void> {
  const { rows } = await rowsOf({ id: text })`
    with recursive up as (
      select ${groupId}::text collate "C" as id
      union
      select p.parent_id from group_groups p join up on p.member_id = up.id
    )
    select id from up where id = any(${ids}::text[]) limit 1`.execute(tx);
  const [found] = rows;
  if (found !== undefined)
    throw badField('member_group_ids', `cyclic relationship detected for member group ID ${JSON.stringify(found.id)}`);
}

function mustAllExist(wanted: readonly string[], found: readonly { readonly id: string }[], what: string): void {
  const there = new Set(found.map(({ id }) => id));
  const missing = wanted.find((id) => !there.has(id));
  if (missing !== undefined)
    throw badField(`member_${what}_ids`, `invalid ${what} ID ${JSON.stringify(missing.slice(0, 64))}`);
}
