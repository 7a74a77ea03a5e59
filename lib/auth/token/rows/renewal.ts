import { sql } from 'kysely';
import { badField, badRequest } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { TokenRow } from '../find/store.ts';
import { renewedLife } from '../issue/life.ts';
import { withIdentity } from '../issue/with-identity.ts';
import type { TokenParts } from '../parts.ts';
import { findRole } from '../roles/store.ts';
import { identityPolicies, type RowParts } from './given.ts';

/**
 * Renews a token.
 *
 * @param id the token for the reply; empty when it was found by its accessor
 * @param named the fields of the request that name the token; none for that of the caller
 * @throws AppError `bad-request` when the token cannot be renewed, or not any longer
 */
export async function renewToken(
  parts: RowParts,
  row: TokenRow | undefined,
  { id, increment, named }: Renewal,
): Promise<Reply> {
  const token = mustBeRenewable(row, named);
  const leases = await parts.leasesAt(token.path, token.namespace_id);
  const age = (token.seen_at.getTime() - token.creation_time.getTime()) / 1_000;
  const limits = await parts.renewalLimits(token);
  if (limits === 'gone') throw badRequest('the role or user of the login could not be found, not renewing');
  const life = renewedLife(
    {
      increment,
      age,
      period: limits?.period ?? (await periodOf(parts, token)),
      maxTtl: limits?.maxTtl ?? 0,
      usualTtl: limits === undefined ? lastTtl(token) : token.creation_ttl,
      explicitMaxTtl: token.explicit_max_ttl,
    },
    leases,
  );
  if (life === undefined) throw badRequest('past the max TTL, cannot renew');
  if (!(await extend(parts, token.hash, life.ttl))) throw badField(named, 'token not found');
  const auth = {
    client_token: id,
    accessor: token.accessor,
    policies: token.policies,
    token_policies: token.policies,
    metadata: token.meta,
    lease_duration: life.ttl,
    renewable: true,
    entity_id: token.entity_id,
    token_type: token.type,
    orphan: token.orphan,
    num_uses: token.num_uses,
  };
  const grants = await identityPolicies(parts, token);
  return { auth: withIdentity(auth, grants, token.namespace_id), warnings: life.warnings };
}

interface Renewal {
  readonly id: string;
  readonly increment: number;
  readonly named: readonly ('token' | 'accessor')[];
}

function mustBeRenewable(row: TokenRow | undefined, named: Renewal['named']): TokenRow {
  if (row === undefined) throw badField(named, 'token not found');
  if (row.type === 'batch') throw badField(named, 'batch tokens cannot be renewed');
  if (row.expire_at === null) throw badField(named, 'invalid lease ID');
  if (!row.renewable) throw badField(named, 'lease is not renewable');
  return row;
}

/** Tokens of `token/create` default to the time of their last renewal, tokens of logins to the settings of their method. */
const lastTtl = ({ creation_ttl, expire_at, last_renewal_at }: TokenRow): number =>
  expire_at === null || last_renewal_at === null
    ? creation_ttl
    : Math.round((expire_at.getTime() - last_renewal_at.getTime()) / 1_000);

/** The present period of the role limits that of its tokens. */
async function periodOf({ store }: TokenParts, { namespace_id, role, period }: TokenRow): Promise<number> {
  if (role === '') return period;
  const found = await findRole(store, namespace_id, role);
  if (found === undefined) {
    throw badRequest(`original token role ${JSON.stringify(role)} could not be found, not renewing`);
  }
  if (found.period === 0 || period === 0) return found.period + period;
  return Math.min(found.period, period);
}

/** False when the token has ended meanwhile. */
async function extend({ store }: TokenParts, hash: Buffer, ttl: number): Promise<boolean> {
  const { rows } = await sql`
    update tokens set expire_at = now() + make_interval(secs => ${ttl}::int), last_renewal_at = now()
     where hash = ${hash} and expire_at > now() and revoked_at is null returning 1`.execute(store.db);
  return rows.length > 0;
}
