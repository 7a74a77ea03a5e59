import { sql } from 'kysely';
import { attributesOf } from '../../../path/jsonapi/body.ts';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { tokenFields } from './fields.ts';
import { addToken, isSole, ofOwner, type TokenOwner, tokensWhere } from './store.ts';
import { tokenResource } from './view.ts';

/** The one token of a team or an organization that has no description: making another ends the one before. */
type SoleOwner = Exclude<TokenOwner, { readonly column: 'user_id' }>;

const tables = { team_id: 'ws_teams', organization_id: 'ws_organizations' } as const;

export async function renewSole(
  { store, clock }: WorkspaceParts,
  call: ApiCall,
  owner: SoleOwner,
): Promise<DocumentReply> {
  // Clients send it with no document as well, or with an empty one.
  const isEmpty = Object.keys(call.body ?? {}).length === 0;
  const sent = isEmpty ? {} : attributesOf(call, undefined, tokenFields(clock));
  const { row, text } = await store.transaction(async (tx) => {
    await sql`select 1 from ${sql.table(tables[owner.column])} where id = ${owner.id} for no key update`.execute(tx);
    await sql`delete from ws_tokens t where ${ofOwner(owner)} and ${isSole(owner)}`.execute(tx);
    const { caller } = call;
    return addToken(store, tx, owner, { description: null, expireAt: sent['expired-at'] ?? null, caller });
  });
  return { status: 201, data: tokenResource(row, text) };
}

export async function showSole({ store }: WorkspaceParts, owner: SoleOwner): Promise<DocumentReply> {
  const [row] = await tokensWhere(store.db, sql`${ofOwner(owner)} and ${isSole(owner)}`);
  if (row === undefined) throw notFound();
  return { data: tokenResource(row) };
}

export async function removeSole({ store }: WorkspaceParts, owner: SoleOwner): Promise<undefined> {
  const { numAffectedRows } = await sql`delete from ws_tokens t where ${ofOwner(owner)} and ${isSole(owner)}`.execute(
    store.db,
  );
  if (numAffectedRows === 0n) throw notFound();
}
