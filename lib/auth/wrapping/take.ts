import type { Kysely } from 'kysely';
import { badField } from '#core/errors.ts';
import type { Secret } from '#core/secret.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bytea, int, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { hashToken, type TokenRow } from '../token/find/store.ts';
import { replyAad } from './wrap.ts';

/** A wrapping token. */
export type Wrapping = RowOf<typeof wrappingColumns>;

const wrappingColumns = {
  namespaceId: text,
  /** The path of the request whose reply was wrapped. */
  path: text,
  /** Seconds. */
  ttl: int,
  createdAt: timestamptz,
};

/** Only wrapping tokens have this policy, which clients cannot assign. */
export const isWrapping = ({ policies }: Pick<TokenRow, 'policies'>): boolean =>
  policies.length === 1 && policies[0] === 'response-wrapping';

/**
 * Takes a wrapped reply with its token. One statement uses up and deletes the token and returns the reply, so of concurrent callers in
 * all processes one gets it, and no sweep interferes.
 *
 * @throws AppError `bad-request` when the token does not exist, or no longer
 */
export async function takeReply(
  { barrier }: Store,
  db: Kysely<Database>,
  token: Secret,
): Promise<Wrapping & { readonly text: string }> {
  const hash = hashToken(barrier, token);
  const { rows } = await rowsOf({ ...wrappingColumns, reply: bytea })`
    delete from tokens t using wrapped_replies r
     where t.hash = ${hash} and r.token_hash = t.hash and t.expire_at > now() and t.num_uses = 1
    returning r.reply, t.namespace_id as "namespaceId", t.path, t.creation_ttl as ttl, t.creation_time as "createdAt"`.execute(
    db,
  );
  const taken = rows[0];
  if (taken === undefined) throw notValid();
  const { reply, ...wrapping } = taken;
  return { ...wrapping, text: barrier.open(reply, replyAad(hash)).toString() };
}

/** Looks up a wrapping token without using it. @throws AppError `bad-request` when it does not exist, or no longer */
export async function findWrapping({ db, barrier }: Store, token: Secret): Promise<Wrapping> {
  const { rows } = await rowsOf(wrappingColumns)`
    select t.namespace_id as "namespaceId", t.path, t.creation_ttl as ttl, t.creation_time as "createdAt"
      from tokens t join wrapped_replies r on r.token_hash = t.hash
     where t.hash = ${hashToken(barrier, token)} and t.expire_at > now() and t.num_uses = 1`.execute(db);
  if (rows[0] === undefined) throw notValid();
  return rows[0];
}

/** Clients compare this text. */
export const notValid = () => badField('token', 'wrapping token is not valid or does not exist');
