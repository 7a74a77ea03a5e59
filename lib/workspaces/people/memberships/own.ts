import { sql } from 'kysely';
import { conflict, forbidden, notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, ApiCaller, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { isSiteAdmin, rootId } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type MembershipRow, membershipColumns, membershipResource } from './read.ts';

/** A membership beside the name of its organization. */
export interface OwnMembership extends MembershipRow {
  readonly organization_name: string;
  /** Its user is no one yet: an address that was invited. */
  readonly placeholder: boolean;
}

/** The membership of that id if it is the caller's own, accepted or not. */
export async function ownMembership(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  id: string,
): Promise<OwnMembership | undefined> {
  if (caller.kind !== 'user') return undefined;
  const row = await readOwn(store, id);
  return row?.user_id === caller.id ? row : undefined;
}

async function readOwn({ db }: Pick<Store, 'db'>, id: string): Promise<OwnMembership | undefined> {
  const { rows } = await sql<OwnMembership>`
    select ${membershipColumns(sql`true`)}, o.name as organization_name, u.invited as placeholder
      from ws_memberships m join ws_users u on u.id = m.user_id
      join ws_organizations o on o.id = m.organization_id and o.removed_at is null
     where m.id = ${id}`.execute(db);
  return rows[0];
}

/**
 * Accepts an invitation: from now on the user belongs to the organization and to the teams that it was invited to. To accept once
 * more changes nothing. Administrators of the site may accept for a user, whose tokens they could make as well.
 *
 * @throws ApiError 404 for everybody else, 403 for the user of the root token, 409 for an address that no user has
 */
export async function acceptInvitation({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { caller, parameters } = call;
  const id = parameters['membership_id'] ?? '';
  const row = isSiteAdmin(caller) ? await readOwn(store, id) : await ownMembership(store, caller, id);
  if (row === undefined) throw notFound();
  if (row.user_id === rootId) throw forbidden('The user of the root token belongs to no organization.');
  if (row.placeholder)
    throw conflict('No user has this address yet: an administrator of the site has to make the user first.');
  await sql`update ws_memberships set status = 'active' where id = ${id} and status = 'invited'`.execute(store.db);
  const accepted = await readOwn(store, id);
  if (accepted === undefined) throw notFound();
  return { data: membershipResource(accepted, accepted.organization_name) };
}
