import { badRequest } from '../../core/errors.ts';
import type { LeaseTimes } from '../../path/lease-times.ts';
import type { AuthReply } from '../../path/row.ts';
import type { Identity } from '../methods/contract.ts';
import { lifeOf } from './life.ts';
import { mintToken, type TokenTarget } from './mint.ts';
import type { TokenParts } from './parts.ts';
import { tokenPolicies } from './policies.ts';

/** Where a token comes from. */
export interface Origin {
  /** The full path that was asked for it. */
  readonly path: string;
  /** The token it was asked with; undefined: none. */
  readonly parent: { readonly hash: Buffer; readonly expires: boolean } | undefined;
  /** It is not revoked with its parent. */
  readonly orphan: boolean;
  /** The text of the token; absent: a random one. */
  readonly id?: string | undefined;
  /** What holds where it came from. */
  readonly leases: LeaseTimes;
}

/**
 * The token of an identity: every login and every `token/create` comes here.
 *
 * @returns the `auth` object of the reply, and what is to be said of it
 * @throws AppError `bad-request` when it would outlive its parent, `already-exists` when its id is taken
 */
export async function issueToken(
  { store, clock, room }: TokenParts,
  { displayName, policies: wanted, metadata, bounds }: Identity,
  { path, parent, orphan, id, leases }: Origin,
): Promise<{ readonly auth: AuthReply; readonly warnings: readonly string[] }> {
  const policies = tokenPolicies(wanted, bounds.noDefaultPolicy);
  const { ttl, warnings } = lifeOf(bounds, leases, policies.includes('root'));
  if (ttl === 0 && parent?.expires === true) {
    throw badRequest('expiring root tokens cannot create non-expiring root tokens');
  }
  const token = {
    id,
    parent: orphan || parent === undefined ? null : parent.hash,
    policies,
    meta: metadata,
    displayName,
    path,
    ttl,
    explicitMaxTtl: bounds.explicitMaxTtl,
    period: bounds.period,
    numUses: bounds.numUses,
    renewable: bounds.renewable && ttl > 0,
    orphan,
  };
  const make = (target: TokenTarget) => mintToken(target, clock.now(), token);
  // What does not end is no lease.
  const auth = room === undefined || ttl === 0 ? await make(store) : await room.within(path, make);
  return { auth, warnings };
}
