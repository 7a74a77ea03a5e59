import { sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { SentToken } from './fields.ts';
import { addToken, isSole, ofOwner, type TokenOwner, tokensWhere } from './store.ts';
import { tokenResource } from './view.ts';

/** A team or an organization. It has one token without a description: creating another one replaces it. */
type SoleOwner = Exclude<TokenOwner, { readonly column: 'user_id' }>;

const tables = { team_id: 'ws_teams', organization_id: 'ws_organizations' } as const;

export async function renewSole(
  store: Store,
  owner: SoleOwner,
  { 'expired-at': expireAt = null }: SentToken,
  caller: ApiCaller,
): Promise<DocumentReply> {
  const { row, text } = await store.transaction(async (tx) => {
    await sql`select 1 from ${sql.table(tables[owner.column])} where id = ${owner.id} for no key update`.execute(tx);
    await sql`delete from ws_tokens t where ${ofOwner(owner)} and ${isSole(owner)}`.execute(tx);
    return addToken(store, tx, owner, { description: null, expireAt, caller });
  });
  return { status: 201, data: tokenResource(row, text) };
}

export async function showSole({ db }: Store, owner: SoleOwner): Promise<DocumentReply> {
  const [row] = await tokensWhere(db, sql`${ofOwner(owner)} and ${isSole(owner)}`);
  if (row === undefined) throw notFound();
  return { data: tokenResource(row) };
}

export async function removeSole({ db }: Store, owner: SoleOwner): Promise<undefined> {
  const { numAffectedRows } = await sql`delete from ws_tokens t where ${ofOwner(owner)} and ${isSole(owner)}`.execute(
    db,
  );
  if (numAffectedRows === 0n) throw notFound();
}
