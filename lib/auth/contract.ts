import type { Namespace } from '#core/namespace.ts';
import type { Secret } from '#core/secret.ts';
import type { Caller, ClientConnection } from '#path/contract/request.ts';
import type { Decision, Need } from './policy/decide.ts';

export type { Allowed, Decision, Denied, Need } from './policy/decide.ts';

/** Authenticates and authorises callers: what other rooms see of this one. */
export interface Gatekeeper {
  /**
   * The caller with a token, or the reason why the token is refused. Counts a use of the token, except that of a wrapping token with the
   * purpose `take-reply`: the statement that takes the reply counts it, so that both happen or neither.
   *
   * @param from the origin of the request, since a token may be bound to addresses
   */
  authenticate(
    token: Secret,
    from?: Pick<ClientConnection, 'remoteAddress'>,
    purpose?: 'take-reply',
  ): Promise<Caller | TokenRefusal>;
  /** Whether the policies of a caller allow a request, with the reason. */
  authorise(caller: Caller, need: Need): Promise<Decision>;
  /** Whether any rule of a caller grants anything on a path or below it. It determines what a caller can see, not what it may do. */
  reaches(caller: Caller, path: string): Promise<boolean>;
  /** Whether a caller may send requests to a namespace: its own, one below it, or one that policies of its groups reach. */
  mayEnter(caller: Caller, namespace: Namespace): Promise<boolean>;
}

/**
 * `invalid`: the token is unknown, expired, revoked or used up. `unusable`: the token is valid, but not from this address, or its
 * entity is disabled or deleted.
 */
export type TokenRefusal = 'invalid' | 'unusable';
