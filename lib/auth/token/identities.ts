import type { FactsOf } from '../policy/store/facts.ts';

/** What tokens need to know about entities. */
export interface Identities {
  readonly factsOf: FactsOf;
  /** The entity of a login, created if it does not exist. */
  readonly entityOf: EntityOfLogin;
}

export type EntityOfLogin = (login: LoginOf) => Promise<LoginEntity>;

/** A user or machine that an auth method has recognised. */
export interface LoginOf {
  readonly namespaceId: string;
  /** The mount of the auth method. */
  readonly mount: { readonly accessor: string; readonly local: boolean };
  /** The name at the auth method; compared in lower case. */
  readonly alias: string;
  /** The fields of the request that have the alias. Absent: none. */
  readonly aliasFields?: readonly string[];
  /** Stored with the alias. Undefined: the stored metadata stays. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Aliases of the external groups that the login is a member of now. Undefined: memberships stay. */
  readonly groups?: readonly string[] | undefined;
}

/** The entity of a login, and its state after the login. */
export interface LoginEntity {
  readonly entityId: string;
  readonly entityState: string;
  /** False when no MFA enforcement exists. Absent when that is unknown. */
  readonly mayBeHeld?: boolean;
}
