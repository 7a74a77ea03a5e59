/** The token that is to be renewed. */
export interface RenewedToken {
  readonly path: string;
  readonly namespace_id: string;
  readonly meta: Readonly<Record<string, string>> | null;
}

/** Of the role or user as it is now, in seconds; 0: none. */
export interface RenewalLimits {
  readonly maxTtl: number;
  readonly period: number;
}

/** Undefined: the token is of no login. `gone`: the role or user that it logged in by is not there any more. */
export type RenewalLimitsOf = (token: RenewedToken) => Promise<RenewalLimits | 'gone' | undefined>;
