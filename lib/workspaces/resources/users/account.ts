import type { Attributes } from '#path/jsonapi/body.ts';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsUsersTable } from '#store/tables/organizations.ts';
import { withRefusals } from '../../frame/refusals.ts';
import type { accountFields } from './fields.ts';
import { serviceAccount, type UserRow, userResource } from './view.ts';

type Db = Pick<Store, 'db'>;

/** The account of the caller. A team or an organization shows as a service account. */
export async function showAccount(store: Db, caller: ApiCaller): Promise<DocumentReply> {
  if (caller.kind !== 'user') return { data: serviceAccount(caller.id, `api-${caller.id}`) };
  return showUser(store, caller, caller.id);
}

/**
 * Changes the caller's name and e-mail address. An address set by the user stays unconfirmed until a site administrator sets it: invitations
 * are sent to addresses, and a user must not receive one by claiming the address of another user.
 */
export async function updateAccount(
  { db }: Db,
  caller: ApiCaller,
  sent: Attributes<typeof accountFields>,
): Promise<DocumentReply> {
  const [username, email] = [sent.username ?? null, sent.email ?? null];
  const { rows } = await withRefusals({ ws_users_username: 'username' }, () =>
    rowsOf(wsUsersTable)`
      update ws_users
         set username = coalesce(${username}, username),
             unconfirmed_email = case when ${email}::text is null then unconfirmed_email
                                      when lower(${email}) = lower(email) then null
                                      else ${email} end
       where id = ${caller.id} returning *`.execute(db),
  );
  return documentOf(rows, caller);
}

/** A user that the caller may read. @throws ApiError 404 */
export async function showUser({ db }: Db, caller: ApiCaller, id: string): Promise<DocumentReply> {
  return documentOf(await db.selectFrom('ws_users').selectAll().where('id', '=', id).execute(), caller);
}

function documentOf([user]: readonly UserRow[], caller: ApiCaller): DocumentReply {
  if (user === undefined) throw notFound();
  return { data: userResource(user, caller) };
}
