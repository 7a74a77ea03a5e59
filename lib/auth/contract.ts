import type { Namespace } from '../core/namespace.ts';
import type { Secret } from '../core/secret.ts';
import type { Caller, ClientConnection } from '../path/contract/request.ts';
import type { Parameters } from '../path/input/parameters.ts';
import type { Capability, PolicyName } from './policy/rule.ts';

/** Who calls and what the caller may do: what other modules see of this one. */
export interface Gatekeeper {
  /**
   * The caller behind a token, or why the token lets no caller in. `from` is where the request comes from: a token may be bound
   * to addresses. It counts a use of the token, but with the purpose `take-reply` not of a wrapping token: that is counted by the
   * statement that takes the reply, so that the one is never without the other.
   */
  authenticate(
    token: Secret,
    from?: Pick<ClientConnection, 'remoteAddress'>,
    purpose?: 'take-reply',
  ): Promise<Caller | TokenRefusal>;
  /** Whether the policies of a caller allow a request, and why. */
  authorise(caller: Caller, need: Need): Promise<Decision>;
  /** Whether some rule of a caller grants anything on a path or below it. It says what a caller gets to see, not what it may do. */
  reaches(caller: Caller, path: string): Promise<boolean>;
  /** Whether a caller may ask anything of a namespace: it is the caller's own, or below it, or policies of groups reach there. */
  mayEnter(caller: Caller, namespace: Namespace): Promise<boolean>;
}

/**
 * `invalid`: the token is unknown, expired, revoked or used up, and only a new login helps. `unusable`: it is valid, but not from
 * this address, or its entity is disabled or gone.
 */
export type TokenRefusal = 'invalid' | 'unusable';

/** A request as policies see it. */
export interface Need {
  readonly capability: Exclude<Capability, 'deny' | 'sudo'>;
  /** Below `/v1/`, the namespace first, without a leading slash. A listing ends in a slash. */
  readonly path: string;
  /** The path needs the sudo capability as well. */
  readonly sudo: boolean;
  /** Members of the body, or of the query where there is no body. Called only where a rule speaks of parameters. */
  readonly parameters: () => Parameters;
  /** Seconds for which the reply shall be wrapped; undefined: not at all. */
  readonly wrapSeconds: number | undefined;
}

export type Decision = Allowed | Denied;

export interface Allowed {
  readonly allowed: true;
  /** The caller has the sudo capability on the path, whether it is needed or not. */
  readonly sudo: boolean;
  /** Names of TOTP methods that have to be passed before the request runs. */
  readonly mfaMethods: readonly string[];
  /** The policies that have the capability on the path, for the audit log. */
  readonly grantedBy: readonly PolicyName[];
}

export interface Denied {
  readonly allowed: false;
  /** For the audit log and for people who may read policies, not for the caller. It names parameters, never their values. */
  readonly why: string;
}
