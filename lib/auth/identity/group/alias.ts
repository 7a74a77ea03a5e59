import { sql, type Transaction } from 'kysely';
import { badField } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { aliasCondition } from '../alias/key.ts';
import { isTaken, nameKey } from '../names.ts';
import type { GroupAliasRow } from './view.ts';
import { changeGroups } from './write.ts';

/** A change of an alias that a client asks for. Undefined members keep their values. */
export interface GroupAliasChange {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly mountAccessor?: string | undefined;
  /** Undefined for a new alias creates an external group. */
  readonly groupId?: string | undefined;
}

export interface WrittenGroupAlias {
  readonly id: string;
  readonly canonical_id: string;
}

/**
 * Changes the alias with an id, or creates or changes the alias with a name at a mount. A new name applies to each member from
 * the member's next login on.
 *
 * @throws AppError `bad-request` when neither is given, or when the group is internal or already has an alias
 */
export async function writeGroupAlias(
  store: Store,
  namespaceId: string,
  change: GroupAliasChange,
): Promise<WrittenGroupAlias> {
  const { id, name, mountAccessor } = change;
  try {
    return await store.transaction(async (tx) => {
      await changeGroups(tx);
      if (change.groupId !== undefined) await mustBeExternal(tx, namespaceId, change.groupId);
      const { rows } = await rowsOf({ id: text, group_id: text })`
        select id, group_id from group_aliases where namespace_id = ${namespaceId} and ${aliasCondition({ id, name, mountAccessor })}`.execute(
        tx,
      );
      const [existing] = rows;
      return existing === undefined ? insert(tx, namespaceId, change) : update(tx, existing, change);
    });
  } catch (error) {
    throw isTaken(error)
      ? badField(['canonical_id', 'mount_accessor'], 'Alias already exists for requested group and mount accessor')
      : error;
  }
}

async function mustBeExternal(tx: Transaction<Database>, namespaceId: string, id: string): Promise<void> {
  const { rows } = await rowsOf({ type: text })`
    select type from identity_groups where namespace_id = ${namespaceId} and id = ${id}`.execute(tx);
  if (rows[0] === undefined) throw badField('canonical_id', 'invalid canonical ID');
  if (rows[0].type !== 'external') throw badField('canonical_id', "alias can't be set on an internal group");
}

async function update(
  tx: Transaction<Database>,
  { id, group_id }: Pick<GroupAliasRow, 'id' | 'group_id'>,
  { name, mountAccessor, groupId = group_id }: GroupAliasChange,
): Promise<WrittenGroupAlias> {
  const sets = [
    sql`updated_at = now(), group_id = ${groupId}`,
    ...(name === undefined ? [] : [sql`name = ${name}, name_key = ${nameKey(name)}`]),
    ...(mountAccessor === undefined ? [] : [sql`mount_accessor = ${mountAccessor}`]),
  ];
  await sql`update group_aliases set ${sql.join(sets)} where id = ${id}`.execute(tx);
  if (groupId !== group_id) await removeMembers(tx, group_id);
  return { id, canonical_id: groupId };
}

async function insert(
  tx: Transaction<Database>,
  namespaceId: string,
  change: GroupAliasChange,
): Promise<WrittenGroupAlias> {
  const { name, mountAccessor } = change;
  if (change.id !== undefined || name === undefined)
    throw badField(change.id === undefined ? 'name' : 'id', 'invalid alias ID');
  const groupId = change.groupId ?? (await newGroup(tx, namespaceId));
  const id = uuid();
  await sql`
    insert into group_aliases (id, group_id, namespace_id, mount_accessor, name, name_key, created_at, updated_at)
    values (${id}, ${groupId}, ${namespaceId}, ${mountAccessor}, ${name}, ${nameKey(name)}, now(), now())`.execute(tx);
  return { id, canonical_id: groupId };
}

async function newGroup(tx: Transaction<Database>, namespaceId: string): Promise<string> {
  const id = uuid();
  await sql`insert into identity_groups (id, namespace_id, name, name_key, type, created_at, updated_at)
            values (${id}, ${namespaceId}, ${`group-${id}`}, ${`group-${id}`}, 'external', now(), now())`.execute(tx);
  return id;
}

/**
 * Deletes an alias and keeps its group. The members leave the group, since no login would remove them any more. An alias that
 * does not exist is a success.
 */
export async function deleteGroupAlias(store: Store, namespaceId: string, id: string): Promise<void> {
  await store.transaction(async (tx) => {
    await changeGroups(tx);
    const { rows } = await rowsOf({ group_id: text })`
      delete from group_aliases where namespace_id = ${namespaceId} and id = ${id} returning group_id`.execute(tx);
    for (const { group_id } of rows) await removeMembers(tx, group_id);
  });
}

const removeMembers = (tx: Transaction<Database>, groupId: string) =>
  sql`delete from group_entities where group_id = ${groupId}`.execute(tx);
