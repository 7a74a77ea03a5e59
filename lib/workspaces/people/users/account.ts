import { sql } from 'kysely';
import { attributesOf } from '../../../path/jsonapi/body.ts';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { standingOf } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { accountFields } from './fields.ts';
import { serviceAccount, type UserRow, userResource } from './view.ts';

/** Who the caller is. A team or an organization shows as a user that no person is. */
export async function showAccount({ store }: WorkspaceParts, { caller }: ApiCall): Promise<DocumentReply> {
  if (caller.kind !== 'user') return { data: serviceAccount(caller.id, `api-${caller.id}`) };
  const { rows } = await sql<UserRow>`select * from ws_users where id = ${caller.id}`.execute(store.db);
  const [user] = rows;
  if (user === undefined) throw notFound();
  return { data: userResource(user, caller) };
}

/**
 * Changes the caller's name and address. An address of a user's own word stays unconfirmed until an administrator of the site
 * sets it: invitations go by addresses, and nobody gets one by claiming to be somebody else.
 */
export async function updateAccount({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { caller } = call;
  const sent = attributesOf(call, 'users', accountFields);
  mustHave(caller.kind === 'user');
  const { rows } = await withRefusals({ ws_users_username: 'username' }, () =>
    sql<UserRow>`
      update ws_users
         set username = coalesce(${sent.username ?? null}, username),
             unconfirmed_email = case when ${sent.email ?? null}::text is null then unconfirmed_email
                                      when lower(${sent.email ?? null}) = lower(email) then null
                                      else ${sent.email ?? null} end
       where id = ${caller.id} returning *`.execute(store.db),
  );
  const [user] = rows;
  if (user === undefined) throw notFound();
  return { data: userResource(user, caller) };
}

/** A user that the caller is, administers, or shares an organization with. @throws ApiError 404 */
export async function showUser({ store }: WorkspaceParts, { caller, parameters }: ApiCall): Promise<DocumentReply> {
  const id = parameters['user_id'] ?? '';
  const { rows } = await sql<UserRow>`select * from ws_users where id = ${id}`.execute(store.db);
  const [user] = rows;
  if (user === undefined) throw notFound();
  if (caller.kind !== 'user' || (caller.id !== id && !caller.siteAdmin)) {
    const shared =
      caller.kind === 'user'
        ? sql`select m.organization_id from ws_memberships m join ws_memberships own on own.organization_id = m.organization_id
               where m.user_id = ${id} and m.status = 'active' and own.user_id = ${caller.id} and own.status = 'active' limit 1`
        : sql`select organization_id from ws_memberships
               where user_id = ${id} and status = 'active' and organization_id = ${caller.kind === 'team' ? caller.organizationId : caller.id}`;
    await standingOf(store, caller, sql`(${shared})`);
  }
  return { data: userResource(user, caller) };
}
