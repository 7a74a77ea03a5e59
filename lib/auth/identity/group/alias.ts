import { type RawBuilder, sql, type Transaction } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import { uuid } from '../../../core/ids.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { isTaken, nameKey } from '../names.ts';
import type { GroupAliasRow } from './view.ts';
import { changeGroups } from './write.ts';

/** What a client wants an alias to be; undefined: as it is. */
export interface GroupAliasChange {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly mountAccessor?: string | undefined;
  /** The group; undefined for a new alias: a new external one. */
  readonly groupId?: string | undefined;
}

export interface WrittenGroupAlias {
  readonly id: string;
  readonly canonical_id: string;
}

/**
 * Changes the alias of an id, or that of a name at a mount, which is made where there is none. A change of its name counts for
 * each member from his next login on.
 *
 * @throws AppError `bad-request` when it is not clear which is meant, or the group is not external or has one
 */
export async function writeGroupAlias(
  store: Store,
  namespaceId: string,
  change: GroupAliasChange,
): Promise<WrittenGroupAlias> {
  try {
    return await store.transaction(async (tx) => {
      await changeGroups(tx);
      if (change.groupId !== undefined) await mustBeExternal(tx, namespaceId, change.groupId);
      const { rows } = await sql<Pick<GroupAliasRow, 'id' | 'group_id'>>`
        select id, group_id from group_aliases where namespace_id = ${namespaceId} and ${keyOf(change)}`.execute(tx);
      const [there] = rows;
      return there === undefined ? insert(tx, namespaceId, change) : update(tx, there, change);
    });
  } catch (error) {
    throw isTaken(error) ? badRequest('Alias already exists for requested group and mount accessor') : error;
  }
}

function keyOf({ id, name, mountAccessor }: GroupAliasChange): RawBuilder<unknown> {
  if (id !== undefined) return sql`id = ${id}`;
  if (name === undefined || mountAccessor === undefined)
    throw badRequest("'id' or 'mount_accessor' and 'name' must be provided");
  return sql`mount_accessor = ${mountAccessor} and name_key = ${nameKey(name)}`;
}

async function mustBeExternal(tx: Transaction<Database>, namespaceId: string, id: string): Promise<void> {
  const { rows } = await sql<{ type: string }>`
    select type from identity_groups where namespace_id = ${namespaceId} and id = ${id}`.execute(tx);
  if (rows[0] === undefined) throw badRequest('invalid canonical ID');
  if (rows[0].type !== 'external') throw badRequest("alias can't be set on an internal group");
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
  if (groupId !== group_id) await sendAway(tx, group_id);
  return { id, canonical_id: groupId };
}

async function insert(
  tx: Transaction<Database>,
  namespaceId: string,
  change: GroupAliasChange,
): Promise<WrittenGroupAlias> {
  const { name, mountAccessor } = change;
  if (change.id !== undefined || name === undefined) throw badRequest('invalid alias ID');
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

/** What is not there is deleted already. The group stays, without the members that logins brought: nobody would take them out. */
export async function deleteGroupAlias(store: Store, namespaceId: string, id: string): Promise<void> {
  await store.transaction(async (tx) => {
    await changeGroups(tx);
    const { rows } = await sql<{ group_id: string }>`
      delete from group_aliases where namespace_id = ${namespaceId} and id = ${id} returning group_id`.execute(tx);
    for (const { group_id } of rows) await sendAway(tx, group_id);
  });
}

const sendAway = (tx: Transaction<Database>, groupId: string) =>
  sql`delete from group_entities where group_id = ${groupId}`.execute(tx);
