import { Transaction } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import { type Namespace, rootNamespace } from '../../../core/namespace.ts';
import type { AuthReply } from '../../../path/contract/reply.ts';
import type { LeaseTimes } from '../../../path/lease-times.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { inTransaction } from '../../../store/transaction.ts';
import type { Identity } from '../../methods/contract.ts';
import { sealBatch } from '../find/batch.ts';
import { readTime } from '../find/store.ts';
import type { TokenParts } from '../parts.ts';
import { lifeOf } from './life.ts';
import { mintToken, type TokenTarget } from './mint.ts';
import type { NewToken } from './new-token.ts';
import { tokenPolicies } from './policies.ts';

/** Where a token comes from. */
export interface Origin {
  /** That it is of; absent: the root. */
  readonly namespace?: Namespace;
  /** The path in the namespace that was asked for it. */
  readonly path: string;
  /** The token it was asked with; undefined: none. */
  readonly parent: { readonly hash: Buffer; readonly expires: boolean } | undefined;
  /** It is not revoked with its parent. */
  readonly orphan: boolean;
  /** The text of the token; absent: a random one. */
  readonly id?: string | undefined;
  /** What holds where it came from. */
  readonly leases: LeaseTimes;
  /** The token role it was created against. */
  readonly role?: string;
  /** The entity that it is of; absent: none. */
  readonly entityId?: string;
  /** Accessor of the auth mount of the login; absent: it is of none. */
  readonly mountAccessor?: string;
}

/**
 * The token of an identity: every login and every `token/create` comes here.
 *
 * @param claim runs in the transaction that writes the token
 * @returns the `auth` object of the reply, and what is to be said of it
 * @throws AppError `bad-request` when it would outlive its parent, `already-exists` when its id is taken
 */
export async function issueToken(
  { store, leaseCapacity }: TokenParts,
  { displayName, policies: wanted, metadata, bounds, role: loginRole }: Identity,
  { namespace = rootNamespace, path, parent, orphan, id, leases, role = '', entityId = '', mountAccessor = '' }: Origin,
  claim?: (tx: Transaction<Database>) => Promise<void>,
): Promise<{ readonly auth: AuthReply; readonly warnings: readonly string[] }> {
  const policies = tokenPolicies(wanted, bounds.noDefaultPolicy);
  const { ttl, warnings } = lifeOf(bounds, leases, policies.includes('root'));
  if (ttl === 0 && parent?.expires === true) {
    throw badRequest('expiring root tokens cannot create non-expiring root tokens');
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
    ...{ role, loginRole },
    // The last way in must not be closed by an address.
    boundCidrs: ttl === 0 ? [] : bounds.cidrs,
  };
  if (bounds.type === 'batch') {
    if (claim !== undefined) await store.transaction(claim);
    return { auth: await batchToken(store, token, mountAccessor), warnings };
  }
  const make = (target: TokenTarget) => claimed(target, claim, (where) => mintToken(where, token));
  // What does not end is no lease.
  const isLease = leaseCapacity !== undefined && ttl > 0;
  const auth = isLease ? await leaseCapacity.within({ namespace, path, role: loginRole }, make) : await make(store);
  return { auth, warnings };
}

/** In one transaction with the claim, if there is one: that of the target, or one of its own. */
function claimed<T>(
  { db, barrier }: TokenTarget,
  claim: ((tx: Transaction<Database>) => Promise<void>) | undefined,
  mint: (target: TokenTarget) => Promise<T>,
): Promise<T> {
  if (claim === undefined) return mint({ db, barrier });
  const work = async (tx: Transaction<Database>) => {
    await claim(tx);
    return mint({ db: tx, barrier });
  };
  return db instanceof Transaction ? work(db) : inTransaction(db, work);
}

/** Longer ones do not fit into the head of a request. */
const batchCharactersMax = 8_000;

/**
 * Its life is counted from a time of the store, which is the clock that each look-up compares its end with.
 *
 * @throws AppError `bad-request` when it would be too long to be sent
 */
async function batchToken(store: Store, token: NewToken, mountAccessor: string): Promise<AuthReply> {
  const { parent, policies, meta, displayName, path, ttl, entityId = '', role = '', boundCidrs = [] } = token;
  const { namespaceId = rootNamespace.id } = token;
  const text = sealBatch(store.barrier, {
    ...{ namespaceId, displayName, path, ttl, entityId, role, meta: meta && { ...meta } },
    parent: parent === null ? null : parent.toString('base64'),
    policies: [...policies],
    created: (await readTime(store)).getTime(),
    boundCidrs: [...boundCidrs],
    mountAccessor,
  });
  if (text.length > batchCharactersMax) {
    throw badRequest('the batch token would be too long: it carries its policies and metadata, so name fewer of them');
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
