import { coalesce } from '../../../core/concurrency/coalesce.ts';
import type { Secret } from '../../../core/secret.ts';
import type { Store } from '../../../store/store.ts';
import { batchRow, isBatch, openBatch, parentOfBatch } from './batch.ts';
import { readStanding } from './standing.ts';
import { findTokens, hashToken, type Revisions, readRevisions, type TokenRow } from './store.ts';

/** Finds the valid token behind a text; undefined: it is unknown, expired, revoked or used up. */
export type FindToken = (token: Secret) => Promise<TokenRow | undefined>;

/** Every look-up asks the store. Concurrent ones share a round trip. With `usesMin` -1 a token's last use may be in flight. */
export function tokenFinder(store: Pick<Store, 'db' | 'barrier'>, usesMin = 0): FindToken {
  const limits = { batchSizeMax: 64, batchesMax: 4, gatherMs: 5 };
  const find = coalesce((hashes: readonly Buffer[]) => findTokens(store, hashes, usesMin), limits);
  return (token) => (isBatch(token) ? findBatch(store, token, find) : find(hashToken(store.barrier, token)));
}

/** A batch token is as good as its parent, and as the auth method of its login. The last use of a parent has no children. */
async function findBatch(
  store: Pick<Store, 'db' | 'barrier'>,
  token: Secret,
  find: (hash: Buffer) => Promise<TokenRow | undefined>,
): Promise<TokenRow | undefined> {
  const batch = openBatch(store.barrier, token);
  if (batch === undefined) return undefined;
  const parent = parentOfBatch(batch);
  const seen: Revisions | undefined = parent === undefined ? await readRevisions(store) : await find(parent);
  if (seen === undefined) return undefined;
  const standing = await readStanding(store, batch);
  if (!standing.mounted) return undefined;
  const { entity_id, entity_state } = standing;
  const entity = { entity_id, entity_state };
  return batchRow(store.barrier, token, batch, { ...seen, ...entity });
}
