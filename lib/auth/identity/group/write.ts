import { type RawBuilder, sql, type Transaction } from 'kysely';
import { badField } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { isTaken, nameKey } from '../names.ts';
import type { Metadata } from '../parts.ts';
import { setMemberGroups, setMembers } from './members.ts';
import { groupRowColumns } from './view.ts';

/** A change of a group that a client asks for. Undefined members keep their values, or get the defaults of a new group. */
export interface GroupChange {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly type?: 'internal' | 'external' | undefined;
  readonly metadata?: Metadata | undefined;
  readonly policies?: readonly string[] | undefined;
  readonly memberEntityIds?: readonly string[] | undefined;
  readonly memberGroupIds?: readonly string[] | undefined;
}

export interface WrittenGroup {
  readonly id: string;
  readonly name: string;
}

const writtenColumns = pick(groupRowColumns, 'id', 'name', 'type');

type GroupRow = RowOf<typeof writtenColumns>;

/** Comes first in every change of groups: other changes wait, and cached facts become stale in all processes. */
export async function changeGroups(tx: Transaction<Database>): Promise<void> {
  await sql`update revisions set revision = revision + 1 where name = 'groups'`.execute(tx);
}

/**
 * Changes the group with an id, or creates or changes the group with a name. Without both it creates a group.
 *
 * @throws AppError `bad-request` when no group has the id, another group has the name, the type would change, a member does not
 *   exist, or the group would contain itself
 */
export async function writeGroup(
  store: Store,
  namespaceId: string,
  change: GroupChange,
): Promise<WrittenGroup & { readonly isNew: boolean }> {
  try {
    return await store.transaction(async (tx) => {
      await changeGroups(tx);
      const updated = await update(tx, namespaceId, change);
      const group = updated ?? (await insert(tx, namespaceId, change));
      if (change.type !== undefined && group.type !== change.type)
        throw badField('type', 'group type cannot be changed');
      if (group.type === 'external' && (change.memberEntityIds?.length ?? 0) > 0)
        throw badField('member_entity_ids', "member entities can't be set manually for external groups");
      if (group.type === 'internal' && change.memberEntityIds !== undefined)
        await setMembers(tx, group.id, change.memberEntityIds);
      if (change.memberGroupIds !== undefined) await setMemberGroups(tx, group.id, change.memberGroupIds);
      return { id: group.id, name: group.name, isNew: updated === undefined };
    });
  } catch (error) {
    throw isTaken(error) ? badField('name', 'group name is already in use') : error;
  }
}

async function update(
  tx: Transaction<Database>,
  namespaceId: string,
  change: GroupChange,
): Promise<GroupRow | undefined> {
  const { id, name, metadata, policies } = change;
  if (id === undefined && name === undefined) return undefined;
  const which = id === undefined ? sql`name_key = ${nameKey(name ?? '')}` : sql`id = ${id}`;
  const sets: RawBuilder<unknown>[] = [
    sql`updated_at = now()`,
    ...(id === undefined || name === undefined ? [] : [sql`name = ${name}, name_key = ${nameKey(name)}`]),
    ...(metadata === undefined ? [] : [sql`metadata = ${JSON.stringify(metadata)}::jsonb`]),
    ...(policies === undefined ? [] : [sql`policies = ${policies}::text[]`]),
  ];
  const { rows } = await rowsOf(writtenColumns)`
    update identity_groups set ${sql.join(sets)} where namespace_id = ${namespaceId} and ${which}
    returning id, name, type`.execute(tx);
  if (id !== undefined && rows.length === 0) throw badField('id', 'invalid group ID');
  return rows[0];
}

async function insert(tx: Transaction<Database>, namespaceId: string, change: GroupChange): Promise<GroupRow> {
  const { type = 'internal', metadata = {}, policies = [] } = change;
  const id = uuid();
  const name = change.name ?? `group-${id}`;
  await sql`
    insert into identity_groups (id, namespace_id, name, name_key, type, metadata, policies, created_at, updated_at)
    values (${id}, ${namespaceId}, ${name}, ${nameKey(name)}, ${type}, ${JSON.stringify(metadata)}::jsonb,
            ${policies}::text[], now(), now())`.execute(tx);
  return { id, name, type };
}

/** Deletes a group and keeps its members. A group that does not exist is a success. */
export async function deleteGroup(
  store: Store,
  namespaceId: string,
  which: { readonly id: string } | { readonly name: string },
): Promise<void> {
  const named = 'id' in which ? sql`id = ${which.id}` : sql`name_key = ${nameKey(which.name)}`;
  await store.transaction(async (tx) => {
    await changeGroups(tx);
    await sql`delete from identity_groups where namespace_id = ${namespaceId} and ${named}`.execute(tx);
  });
}
