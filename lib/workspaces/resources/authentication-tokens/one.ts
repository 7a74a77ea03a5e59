import { sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import { removeAgentToken, showAgentToken } from './of-agents.ts';
import { tokensWhere } from './store.ts';
import { tokenResource } from './view.ts';

/** A token by its id, and whether it belongs to agents. */
interface FoundToken {
  readonly id: string;
  readonly of: 'service' | 'agents';
}

export async function showToken(store: Store, { id, of }: FoundToken): Promise<DocumentReply> {
  if (of === 'agents') return showAgentToken(store, { id });
  const [row] = await tokensWhere(store.db, sql`t.id = ${id}`);
  if (row === undefined) throw notFound();
  return { data: tokenResource(row) };
}

/** Deletes a token. It becomes invalid in all processes immediately. */
export async function removeToken(store: Store, { id, of }: FoundToken): Promise<undefined> {
  if (of === 'agents') return removeAgentToken(store, { id });
  await sql`delete from ws_tokens where id = ${id}`.execute(store.db);
}
