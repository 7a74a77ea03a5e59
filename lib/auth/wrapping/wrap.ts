import type { Kysely } from 'kysely';
import { badRequest } from '../../core/errors.ts';
import type { Namespace } from '../../core/namespace.ts';
import { Secret } from '../../core/secret.ts';
import type { WrapInfo } from '../../path/contract/reply.ts';
import type { Store } from '../../store/store.ts';
import type { Database } from '../../store/tables.ts';
import { hashToken } from '../token/find/store.ts';
import { mintTokenAt } from '../token/issue/mint.ts';

export type WrapParts = { readonly store: Store };

/** A reply to be kept for whoever has its wrapping token. */
export interface ReplyToWrap {
  /** That the reply is of, and the wrapping token with it. */
  readonly namespace: Pick<Namespace, 'id'>;
  /** As its client would have got it. */
  readonly text: string;
  /** The full path that was asked for it. */
  readonly path: string;
  readonly seconds: number;
  /** Of the token in the reply, if it brings one. */
  readonly wrappedAccessor: string | undefined;
}

/** Larger ones do not become a row of their own. */
const replyBytesMax = 2_097_152;

/**
 * Keeps a reply and makes the token that takes it, once.
 *
 * @throws AppError `bad-request` for a reply that is too large
 */
export async function wrap(parts: WrapParts, reply: ReplyToWrap): Promise<WrapInfo> {
  mustFit(reply);
  return parts.store.transaction((tx) => wrapWithin(parts, tx, reply));
}

/** The same in a transaction. What it stores is bounded by what was wrapped before. */
export async function wrapWithin(
  { store: { barrier } }: WrapParts,
  db: Kysely<Database>,
  { namespace, text, path, seconds, wrappedAccessor }: ReplyToWrap,
): Promise<WrapInfo> {
  const { auth, createdAt } = await mintTokenAt(
    { db, barrier },
    {
      namespaceId: namespace.id,
      parent: null,
      policies: ['response-wrapping'],
      meta: null,
      displayName: '',
      path,
      ttl: seconds,
      explicitMaxTtl: seconds,
      period: 0,
      numUses: 1,
      renewable: false,
      orphan: true,
    },
  );
  const { client_token, accessor } = auth;
  const token_hash = hashToken(barrier, new Secret(client_token));
  await db
    .insertInto('wrapped_replies')
    .values({ token_hash, reply: barrier.seal(text, replyAad(token_hash)) })
    .execute();
  return {
    token: client_token,
    accessor,
    ttl: seconds,
    creation_time: createdAt.toISOString(),
    creation_path: path,
    ...(wrappedAccessor === undefined ? {} : { wrapped_accessor: wrappedAccessor }),
  };
}

export const replyAad = (tokenHash: Buffer): string => `wrapped_replies/${tokenHash.toString('hex')}`;

function mustFit({ text }: ReplyToWrap): void {
  if (Buffer.byteLength(text) > replyBytesMax)
    throw badRequest(`the reply is too large to be wrapped: it may have ${replyBytesMax} bytes`);
}
