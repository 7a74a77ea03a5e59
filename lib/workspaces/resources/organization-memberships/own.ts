import { sql } from 'kysely';
import { conflict, forbidden, notFound } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { rootId } from '../../access/standing.ts';
import { membershipColumns, membershipResource, membershipRowColumns } from '../users/memberships.ts';

/** A membership with the name of its organization. */
export type OwnMembership = RowOf<typeof ownColumns>;

const ownColumns = {
  ...membershipRowColumns,
  organization_name: text,
  /** The user is a placeholder for an invited address. */
  placeholder: bool,
};

/** A membership of an organization that still exists. @throws ApiError 404 */
export async function readOwn({ db }: Pick<Store, 'db'>, id: string): Promise<OwnMembership> {
  const { rows } = await rowsOf(ownColumns)`
    select ${membershipColumns(sql`true`)}, o.name as organization_name, u.invited as placeholder
      from ws_memberships m join ws_users u on u.id = m.user_id
      join ws_organizations o on o.id = m.organization_id and o.removed_at is null
     where m.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/**
 * Accepts an invitation: the user joins the organization and the teams named in the invitation. Accepting again changes nothing.
 * Site administrators may accept for a user, since they can create tokens of that user anyway.
 *
 * @throws ApiError 403 for the user of the root token, 409 when no user has the address
 */
export async function acceptInvitation(store: Pick<Store, 'db'>, id: string): Promise<DocumentReply> {
  const row = await readOwn(store, id);
  if (row.user_id === rootId) throw forbidden('The user of the root token cannot join organizations.');
  if (row.placeholder) throw conflict('No user has this address yet: a site administrator must create the user first.');
  await sql`update ws_memberships set status = 'active' where id = ${id} and status = 'invited'`.execute(store.db);
  const accepted = await readOwn(store, id);
  return { data: membershipResource(accepted, accepted.organization_name) };
}
