import type { ReplyContent } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Operation, Replies } from '#path/contract/row.ts';
import type { Fields, Input } from '#path/fields.ts';
import type { TokenRequest } from '../token/issue/request.ts';

/**
 * A user or machine that has proved who it is, with the token that its auth method asks for. The display name follows the
 * name of the mount.
 */
export interface Identity extends TokenRequest {
  /** The name at the auth method, which stays when display names change. Empty for a login without an entity. */
  readonly alias: string;
  /** Stored with the alias of the entity and refreshed by each login. Absent: the stored metadata stays. */
  readonly aliasMetadata?: Readonly<Record<string, string>>;
  /** Names of groups, as external groups have them as aliases at the mount. Absent: memberships stay. */
  readonly groups?: readonly string[];
}

/** The reply of a request that is part of a login but does not complete it. */
export interface Unfinished {
  readonly reply: ReplyContent;
}

/** Makes an operation out of a login handler: the handler returns an identity, the operation replies with its token. */
export type LoginOperation = <F extends Fields>(
  fields: F,
  spec: {
    readonly summary: string;
    readonly replies?: Replies;
    readonly identify: (input: Input<F>, context: RequestContext) => Promise<Identity | Unfinished>;
  },
) => Operation;
