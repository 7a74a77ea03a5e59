import { Transaction } from 'kysely';
import { badField } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import type { LeaseTimes } from '#path/contract/mount.ts';
import type { AuthReply } from '#path/contract/reply.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { inTransaction } from '#store/transaction.ts';
import { tokenPolicies } from '../../policy/names.ts';
import { sealBatch } from '../find/batch.ts';
import { readTime } from '../find/store.ts';
import { lifeOf } from './life.ts';
import { mintToken, type TokenTarget } from './mint.ts';
import type { NewToken } from './new-token.ts';
import type { TokenRequest } from './request.ts';

/** What tokens are issued with. */
export interface IssueParts {
  readonly store: Store;
  /** Makes a token where the lease quotas leave room for it. @throws AppError `too-many-requests` */
  readonly leaseCapacity: {
    within<T>(
      origin: { readonly namespace: Namespace; readonly path: string; readonly role?: string | undefined },
      make: (target: TokenTarget) => Promise<T>,
    ): Promise<T>;
  };
}

/** Where a token comes from. */
export interface Origin {
  readonly namespace: Namespace;
  /** The path of the request, relative to the namespace. */
  readonly path: string;
  /** The token of the request; undefined for a login. */
  readonly parent: { readonly hash: Buffer; readonly expires: boolean } | undefined;
  /** Whether the token survives the revocation of its parent. */
  readonly orphan: boolean;
  /** The text of the token. Absent for a random one. */
  readonly id?: string | undefined;
  /** The lease times of the mount. */
  readonly leases: LeaseTimes;
  /** The token role that it is created against. */
  readonly role?: string;
  /** Empty for a token without an entity. */
  readonly entityId: string;
  /** Accessor of the auth mount of the login; empty for a token that no login made. */
  readonly mountAccessor: string;
}

/** Runs in the transaction that writes the token of a login; an error leaves the login as it was. */
export type Claim = (tx: Transaction<Database>) => Promise<void>;

/**
 * Issues the token of a login or of `token/create`.
 *
 * @returns the `auth` object of the reply and its warnings
 * @throws AppError `bad-request` when it would outlive its parent, `already-exists` when its id is taken
 */
export async function issueToken(
  { store, leaseCapacity }: IssueParts,
  { displayName, policies: wanted, metadata, bounds, role: loginRole }: TokenRequest,
  { namespace, path, parent, orphan, id, leases, role = '', entityId, mountAccessor }: Origin,
  claim?: Claim,
): Promise<{ readonly auth: AuthReply; readonly warnings: readonly string[] }> {
  const policies = tokenPolicies(wanted, bounds.noDefaultPolicy);
  const { ttl, warnings } = lifeOf(bounds, leases, policies.includes('root'));
  if (ttl === 0 && parent?.expires === true) {
    throw badField('ttl', 'expiring root tokens cannot create non-expiring root tokens');
  }
  const token: NewToken = {
    id,
    namespaceId: namespace.id,
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
    entityId,
    role,
    loginRole: loginRole ?? '',
    // A token that does not expire may be the last way in, so no address limits it.
    boundCidrs: ttl === 0 ? [] : bounds.cidrs,
  };
  if (bounds.type === 'batch') {
    if (claim !== undefined) await store.transaction(claim);
    return { auth: await batchToken(store, token, mountAccessor, parent && ['policies', 'meta']), warnings };
  }
  const make = (target: TokenTarget) => claimed(target, claim, (where) => mintToken(where, token));
  // Only a token that expires is a lease.
  const auth = ttl > 0 ? await leaseCapacity.within({ namespace, path, role: loginRole }, make) : await make(store);
  return { auth, warnings };
}

/** Mints in one transaction with the claim: that of the target, or a new one. */
function claimed<T>(
  { db, barrier }: TokenTarget,
  claim: Claim | undefined,
  mint: (target: TokenTarget) => Promise<T>,
): Promise<T> {
  if (claim === undefined) return mint({ db, barrier });
  const work = async (tx: Transaction<Database>) => {
    await claim(tx);
    return mint({ db: tx, barrier });
  };
  return db instanceof Transaction ? work(db) : inTransaction(db, work);
}

/** Longer tokens do not fit into the head of a request. */
const batchCharactersMax = 8_000;

/**
 * A batch token. Its life is counted from the time of the store, whose clock every look-up uses.
 *
 * @param fields the fields of the request that make it long; none for a login
 * @throws AppError `bad-request` when it would be too long to send
 */
async function batchToken(
  store: Store,
  token: NewToken,
  mountAccessor: string,
  fields: readonly string[] = [],
): Promise<AuthReply> {
  const { parent, policies, meta, displayName, path, ttl, entityId, role, boundCidrs, namespaceId } = token;
  const text = sealBatch(store.barrier, {
    parent: parent === null ? null : parent.toString('base64'),
    policies: [...policies],
    meta: meta && { ...meta },
    displayName,
    path,
    created: (await readTime(store)).getTime(),
    ttl,
    entityId,
    role,
    boundCidrs: [...boundCidrs],
    mountAccessor,
    namespaceId,
  });
  if (text.length > batchCharactersMax) {
    throw badField(
      fields,
      'the batch token would be too long: request fewer policies or less metadata, which it contains',
    );
  }
  return {
    client_token: text,
    accessor: '',
    policies,
    token_policies: policies,
    metadata: meta,
    lease_duration: ttl,
    renewable: false,
    entity_id: entityId,
    token_type: 'batch',
    orphan: token.orphan,
    num_uses: 0,
  };
}
