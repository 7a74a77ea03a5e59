import type { Kysely } from 'kysely';
import { alreadyExists, badRequest, permissionDenied } from '#core/errors.ts';
import { randomBase62 } from '#core/ids.ts';
import { rootNamespace, suffixOf } from '#core/namespace.ts';
import { Secret } from '#core/secret.ts';
import type { AuthReply } from '#path/contract/reply.ts';
import type { Barrier } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { findTokens, hashToken } from '../find/store.ts';
import { insertToken } from './insert.ts';
import type { NewToken } from './new-token.ts';

/** Where a token is written: the store or one of its transactions. */
export interface TokenTarget {
  readonly db: Kysely<Database>;
  readonly barrier: Barrier;
}

/**
 * The only code that creates service tokens.
 *
 * @throws AppError `already-exists` when a token of this id exists, `bad-request` when the parent may have no children,
 *   `permission-denied` when it is no longer valid
 */
export async function mintToken(target: TokenTarget, token: NewToken): Promise<AuthReply> {
  return (await mintTokenAt(target, token)).auth;
}

/** Creates a token and returns the time by the clock of the store from which its life is counted. */
export async function mintTokenAt(
  target: TokenTarget,
  token: NewToken,
): Promise<{ readonly auth: AuthReply; readonly createdAt: Date }> {
  const suffix = suffixOf(token.namespaceId);
  const id = (token.id ?? `hvs.${randomBase62(24)}`) + suffix;
  const accessor = randomBase62(24) + suffix;
  const hash = hashToken(target.barrier, new Secret(id));
  const createdAt = await insertToken(target.db, { hash, accessor, token });
  if (createdAt === undefined) throw await refusal(target, token);
  const auth = {
    client_token: id,
    accessor,
    policies: token.policies,
    token_policies: token.policies,
    metadata: token.meta,
    lease_duration: token.ttl,
    renewable: token.renewable,
    entity_id: token.entityId,
    token_type: 'service',
    orphan: token.orphan,
    num_uses: token.numUses,
  } as const;
  return { auth, createdAt };
}

async function refusal(target: TokenTarget, { parent }: NewToken): Promise<Error> {
  const [found] = parent === null ? [] : await findTokens(target, [parent], -1);
  if (parent !== null && found === undefined) return permissionDenied();
  if (found !== undefined && found.num_uses !== 0) return noChildren();
  return alreadyExists('id', 'cannot create a token with a duplicate ID');
}

const noChildren = () => badRequest('restricted use token cannot generate child tokens');

/** Creates a root token that does not expire. `id` is a fixed token for development. */
export async function mintRootToken(target: TokenTarget, id?: string): Promise<string> {
  const reply = await mintToken(target, {
    id,
    namespaceId: rootNamespace.id,
    parent: null,
    policies: ['root'],
    meta: null,
    displayName: 'root',
    path: 'auth/token/root',
    ttl: 0,
    explicitMaxTtl: 0,
    period: 0,
    numUses: 0,
    renewable: false,
    orphan: true,
    entityId: '',
    role: '',
    loginRole: '',
    boundCidrs: [],
  });
  return reply.client_token;
}
