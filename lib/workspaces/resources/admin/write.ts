import { type QueryExecutorProvider, sql, type Transaction } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { forbidden, invalidAttribute, notFound } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { rootId } from '../../access/standing.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import type { adminFields } from '../users/fields.ts';
import { adminDocument } from './read.ts';

const taken = { ws_users_username: 'username', ws_users_email: 'email', ws_users_entity_id_key: 'entity-id' };

interface Columns {
  readonly username: string | null;
  readonly email: string | null;
  readonly site_admin: boolean | null;
  readonly suspended: boolean | null;
  /** Undefined keeps the present value. */
  readonly entity_id: string | null | undefined;
}

type Sent = Attributes<typeof adminFields>;

function columnsOf(sent: Sent): Columns {
  return {
    username: sent.username ?? null,
    email: sent.email ?? null,
    site_admin: sent['is-admin'] ?? sent['is-site-admin'] ?? null,
    suspended: sent['is-suspended'] ?? null,
    entity_id: sent['entity-id'] === '' ? null : sent['entity-id'],
  };
}

/** Creates a user. A placeholder invited under its address becomes this user, who may then accept the invitations. */
export async function createUser(store: Store, sent: Sent): Promise<DocumentReply> {
  const columns = columnsOf(sent);
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
  const { rows } = await rowsOf({ id: text })`
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

/** Updates the attributes that were sent. */
export async function updateUser(store: Store, id: string, sent: Sent): Promise<DocumentReply> {
  const columns = columnsOf(sent);
  if (id === rootId && (columns.site_admin === false || columns.suspended === true || columns.entity_id != null))
    throw forbidden('The user of the root token cannot be changed.');
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
  if (rows.length === 0) throw invalidAttribute('entity-id', 'Entity id does not name an entity');
}

/** Deletes a user with its tokens, memberships and team memberships. */
export async function removeUser({ db }: Store, id: string): Promise<undefined> {
  if (id === rootId) throw forbidden('The user of the root token cannot be deleted.');
  const { numAffectedRows } = await sql`delete from ws_users where id = ${id}`.execute(db);
  if (numAffectedRows === 0n) throw notFound();
}

/** A change that an action makes. */
export async function setFlag(
  store: Store,
  id: string,
  change: { readonly site_admin: boolean } | { readonly suspended: boolean },
): Promise<DocumentReply> {
  if (id === rootId) throw forbidden('The user of the root token cannot be changed in this way.');
  const unchanged: Columns = { username: null, email: null, site_admin: null, suspended: null, entity_id: undefined };
  await store.transaction((tx) => update(tx, id, { ...unchanged, ...change }));
  return adminDocument(store, id);
}
