import { AppError } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import { findTokens, readTime, type TokenRow } from '../token/find/store.ts';
import type { TokenParts } from '../token/parts.ts';
import { revokeTree } from '../token/revoke/revoke.ts';
import { visibleFrom } from '../token/rows/given.ts';
import { tidyTokens } from '../token/tidy/tidy.ts';
import { isFullStep, type LeasePrefix, leaseFolders, leaseNames, markBelow } from './below.ts';
import { leaseIdOf, parseLeaseId } from './id.ts';

/** Bound of the steps of one call, which no number of tokens reaches. */
const stepsMax = 1_000_000;

/** The leases of a namespace: its tokens that expire. */
export const openLeases = (parts: TokenParts) => (namespace: Namespace) => {
  const { store, reaper } = parts;

  async function findRow(id: string): Promise<TokenRow | undefined> {
    const parsed = parseLeaseId(id);
    if (parsed === undefined) return undefined;
    const [row] = await findTokens(store, [parsed.hash]);
    const seen = await visibleFrom(parts, namespace, row);
    return seen?.path === parsed.path && seen.expire_at !== null ? seen : undefined;
  }

  return {
    async find(id: string) {
      const row = await findRow(id);
      return row && leaseOf(row);
    },
    list: (prefix: string, after: string, limit: number) =>
      namesBelow(parts, { namespaceId: namespace.id, path: prefix }, after, limit),
    async revoke(id: string): Promise<void> {
      const row = await findRow(id);
      if (row !== undefined) await revokeTree(parts, row.hash);
    },
    async revokePrefix(prefix: string, signal: AbortSignal): Promise<void> {
      const row = await findRow(prefix);
      if (row !== undefined) return revokeTree(parts, row.hash);
      const until = await readTime(store);
      for (let steps = 0, more = true; more; steps += 1) {
        if (signal.aborted || steps >= stepsMax) throw notInTime();
        more = isFullStep(await markBelow(store, { namespaceId: namespace.id, path: prefix }, until));
      }
      await reaper.reap();
    },
    tidy: () => tidyTokens(parts, namespace.id),
  };
};

const notInTime = () =>
  new AppError('unavailable', 'there are more leases than could be revoked in time: revoke the prefix again');

function leaseOf(row: TokenRow) {
  const expires = row.expire_at ?? row.creation_time;
  return {
    id: leaseIdOf(row.path, row.hash, row.namespace_id),
    issued: row.creation_time,
    expires,
    lastRenewed: row.last_renewal_at,
    ttl: Math.max(0, Math.floor((expires.getTime() - row.seen_at.getTime()) / 1_000)),
    path: row.path,
    renewable: row.renewable,
  };
}

/** Leases come before folders, so that each part is in its own order and a listing can continue in either. */
async function namesBelow(
  { store }: TokenParts,
  prefix: LeasePrefix,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const folder = after.endsWith('/') ? after : '';
  const leases = prefix.path === '' || folder !== '' ? [] : await leaseNames(store, prefix, after, limit);
  if (leases.length >= limit) return leases;
  return [...leases, ...(await leaseFolders(store, prefix, folder, limit - leases.length))];
}
