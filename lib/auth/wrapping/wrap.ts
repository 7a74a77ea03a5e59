import type { Kysely } from 'kysely';
import { badRequest } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import { Secret } from '#core/secret.ts';
import type { WrapInfo } from '#path/contract/reply.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { hashToken } from '../token/find/store.ts';
import { mintTokenAt } from '../token/issue/mint.ts';

export interface WrapParts {
  readonly store: Store;
}

/** A reply to store for the holder of its wrapping token. */
export interface ReplyToWrap {
  /** The namespace of the request, and of the wrapping token. */
  readonly namespace: Pick<Namespace, 'id'>;
  /** The body that the client would have received. */
  readonly text: string;
  /** The full path of the request. */
  readonly path: string;
  readonly seconds: number;
  /** The accessor of the token in the reply, if it contains one. */
  readonly wrappedAccessor: string | undefined;
}

/** Bound of a stored reply. */
const replyBytesMax = 2_097_152;

/**
 * Stores a reply and makes the token that takes it once.
 *
 * @throws AppError `bad-request` for a reply that is too large
 */
export async function wrap(parts: WrapParts, reply: ReplyToWrap): Promise<WrapInfo> {
  mustFit(reply);
  return parts.store.transaction((tx) => wrapWithin(parts, tx, reply));
}

/** Wraps in a transaction a reply that was wrapped before, and so is not too large. */
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
      entityId: '',
      role: '',
      loginRole: '',
      boundCidrs: [],
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
    throw badRequest(`the reply is too large to wrap: at most ${replyBytesMax} bytes are allowed`);
}
