import { AppError } from '../../core/errors.ts';
import type { Namespace } from '../../core/namespace.ts';
import type { Reply } from '../../path/contract/reply.ts';
import { findTokens, readTime, type TokenRow } from '../token/find/store.ts';
import type { TokenParts } from '../token/parts.ts';
import { revokeTree } from '../token/revoke/revoke.ts';
import { seenFrom } from '../token/rows/given.ts';
import { startTidy } from '../token/tidy/tidy.ts';
import { isFullStep, type LeasePrefix, leaseFolders, leaseNames, markBelow } from './below.ts';
import { leaseIdOf, parseLeaseId } from './id.ts';

/** Steps of one call: more than there are tokens. */
const stepsMax = 1_000_000;

/** The leases there are: those of tokens that expire. The rows of `sys/leases` are handed those of a namespace. */
export const openLeases = (parts: TokenParts) => (namespace: Namespace) => {
  const { store, reaper } = parts;

  async function findRow(id: string): Promise<TokenRow | undefined> {
    const parsed = parseLeaseId(id);
    if (parsed === undefined) return undefined;
    const [row] = await findTokens(store, [parsed.hash]);
    const seen = await seenFrom(parts, namespace, row);
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
        if (signal.aborted || steps >= stepsMax) throw cutOff();
        more = isFullStep(await markBelow(store, { namespaceId: namespace.id, path: prefix }, until));
      }
      await reaper?.reap();
    },
    async tidy(): Promise<Reply> {
      const started = await startTidy(parts, namespace.id);
      return { status: 202, warnings: [started ? startedText : 'Tidy operation already in progress.'] };
    },
  };
};

const cutOff = () =>
  new AppError('unavailable', 'there are more leases than could be revoked in time: revoke the prefix again');

const startedText =
  "Tidy operation successfully started. Any information from the operation will be printed to the server's log.";

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

/** First the leases, then the folders, so that each part has an order of its own to go on in. */
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
