/** A token to renew. */
export interface RenewedToken {
  readonly path: string;
  readonly namespace_id: string;
  readonly meta: Readonly<Record<string, string>> | null;
}

/** Present limits of a role or user in seconds; 0 sets no limit. */
export interface RenewalLimits {
  readonly maxTtl: number;
  readonly period: number;
}

/** Undefined for a token that no login made; `gone` when the role or user of its login no longer exists. */
export type RenewalLimitsOf = (token: RenewedToken) => Promise<RenewalLimits | 'gone' | undefined>;
