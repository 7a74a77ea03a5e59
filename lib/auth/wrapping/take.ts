import { type Kysely, sql } from 'kysely';
import { badRequest } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import type { Store } from '../../store/store.ts';
import type { Database } from '../../store/tables.ts';
import { hashToken, type TokenRow } from '../token/find/store.ts';
import { replyAad } from './wrap.ts';

/** What is known of a wrapping token. */
export interface Wrapping {
  readonly namespaceId: string;
  /** The path of the request whose reply was wrapped. */
  readonly path: string;
  /** Seconds. */
  readonly ttl: number;
  readonly createdAt: Date;
}

/** Only the service itself gives this policy, and only to wrapping tokens. */
export const isWrapping = ({ policies }: Pick<TokenRow, 'policies'>): boolean =>
  policies.length === 1 && policies[0] === 'response-wrapping';

/**
 * Takes a wrapped reply with its token, whoever calls with it. One statement takes the only use, deletes the token and answers
 * the reply, so of any number of callers in any number of processes one has it, and no sweep comes between.
 *
 * @throws AppError `bad-request` when there is no such token, or not any more
 */
export async function takeReply(
  { barrier }: Store,
  db: Kysely<Database>,
  token: Secret,
): Promise<Wrapping & { readonly text: string }> {
  const hash = hashToken(barrier, token);
  const { rows } = await sql<Wrapping & { readonly reply: Buffer }>`
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

/** Looks at a wrapping token without using it. @throws AppError `bad-request` when there is no such token, or not any more */
export async function findWrapping({ db, barrier }: Store, token: Secret): Promise<Wrapping> {
  const { rows } = await sql<Wrapping>`
    select t.namespace_id as "namespaceId", t.path, t.creation_ttl as ttl, t.creation_time as "createdAt"
      from tokens t join wrapped_replies r on r.token_hash = t.hash
     where t.hash = ${hashToken(barrier, token)} and t.expire_at > now() and t.num_uses = 1`.execute(db);
  if (rows[0] === undefined) throw notValid();
  return rows[0];
}

/** Clients compare this text. */
export const notValid = () => badRequest('wrapping token is not valid or does not exist');
