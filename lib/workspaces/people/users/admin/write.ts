import { type QueryExecutorProvider, sql, type Transaction } from 'kysely';
import { attributesOf } from '../../../../path/jsonapi/body.ts';
import { forbidden, invalidAttribute, notFound } from '../../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../../path/jsonapi/row.ts';
import type { Database } from '../../../../store/tables.ts';
import { rootId } from '../../../access/standing.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { newId } from '../../../frame/ids.ts';
import { withRefusals } from '../../../frame/refusals.ts';
import { adminFields } from '../fields.ts';
import { adminDocument } from './read.ts';

const taken = { ws_users_username: 'username', ws_users_email: 'email', ws_users_entity_id_key: 'entity-id' };

interface Columns {
  readonly username: string | null;
  readonly email: string | null;
  readonly site_admin: boolean | null;
  readonly suspended: boolean | null;
  /** Undefined: as it was. */
  readonly entity_id: string | null | undefined;
}

function columnsOf(call: ApiCall): Columns {
  const sent = attributesOf(call, 'users', adminFields);
  return {
    username: sent.username ?? null,
    email: sent.email ?? null,
    site_admin: sent['is-admin'] ?? sent['is-site-admin'] ?? null,
    suspended: sent['is-suspended'] ?? null,
    entity_id: sent['entity-id'] === '' ? null : sent['entity-id'],
  };
}

/** Makes a user. One that was invited under its address becomes it, and may accept these invitations. */
export async function createUser({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const columns = columnsOf(call);
  const { username, email } = columns;
  if (username === null) throw invalidAttribute('username', "Username can't be blank");
  if (email === null) throw invalidAttribute('email', "Email can't be blank");
  const id = await withRefusals(taken, () =>
    store.transaction(async (tx) => {
      await mustBeEntity(tx, columns.entity_id);
      return (await takeInvited(tx, columns)) ?? (await insert(tx, { ...columns, username, email }));
    }),
  );
  return { ...(await adminDocument(store, id)), status: 201 };
}

async function takeInvited(tx: Transaction<Database>, columns: Columns): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from ws_users where invited and lower(email) = lower(${columns.email}) for update`.execute(tx);
  const [row] = rows;
  if (row === undefined) return undefined;
  await update(tx, row.id, columns);
  await sql`update ws_users set invited = false where id = ${row.id}`.execute(tx);
  return row.id;
}

async function insert(tx: Transaction<Database>, { username, email, ...columns }: Columns): Promise<string> {
  const id = newId('user');
  await sql`
    insert into ws_users (id, username, email, site_admin, suspended, entity_id)
    values (${id}, ${username}, ${email}, ${columns.site_admin ?? false}, ${columns.suspended ?? false},
            ${columns.entity_id ?? null})`.execute(tx);
  return id;
}

/** Changes a user; what was not sent stays. */
export async function updateUser({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const id = call.parameters['user_id'] ?? '';
  const columns = columnsOf(call);
  if (id === rootId && (columns.site_admin === false || columns.suspended === true || columns.entity_id != null))
    throw forbidden('The user of the root token stays what it is.');
  await withRefusals(taken, () =>
    store.transaction(async (tx) => {
      await mustBeEntity(tx, columns.entity_id);
      await update(tx, id, columns);
    }),
  );
  return adminDocument(store, id);
}

async function update(tx: Transaction<Database>, id: string, columns: Columns): Promise<void> {
  const { entity_id: entity } = columns;
  const { numAffectedRows } = await sql`
    update ws_users
       set username = coalesce(${columns.username}, username),
           email = coalesce(${columns.email}, email),
           unconfirmed_email = case when ${columns.email}::text is null then unconfirmed_email end,
           site_admin = coalesce(${columns.site_admin}, site_admin),
           suspended = coalesce(${columns.suspended}, suspended),
           entity_id = ${entity === undefined ? sql`entity_id` : sql`${entity}`}
     where id = ${id}`.execute(tx);
  if (numAffectedRows === 0n) throw notFound();
}

/** @throws ApiError 422 for an entity that the secrets service does not have */
async function mustBeEntity(db: QueryExecutorProvider, id: string | null | undefined): Promise<void> {
  if (id === null || id === undefined) return;
  const { rows } = await sql`select 1 from entities where id = ${id} for key share`.execute(db);
  if (rows.length === 0) throw invalidAttribute('entity-id', 'Entity id is that of no entity');
}

/** Removes a user with its tokens, memberships and places in teams. */
export async function removeUser({ store }: WorkspaceParts, { parameters }: ApiCall): Promise<undefined> {
  const { user_id: id = '' } = parameters;
  if (id === rootId) throw forbidden('The user of the root token stays.');
  const { numAffectedRows } = await sql`delete from ws_users where id = ${id}`.execute(store.db);
  if (numAffectedRows === 0n) throw notFound();
}

/** One of the changes that clients ask for by an action of its own. */
export async function setFlag(
  { store }: WorkspaceParts,
  { parameters }: ApiCall,
  change: { readonly site_admin: boolean } | { readonly suspended: boolean },
): Promise<DocumentReply> {
  const { user_id: id = '' } = parameters;
  if (id === rootId) throw forbidden('The user of the root token stays what it is.');
  const nothing: Columns = { username: null, email: null, site_admin: null, suspended: null, entity_id: undefined };
  await store.transaction((tx) => update(tx, id, { ...nothing, ...change }));
  return adminDocument(store, id);
}
