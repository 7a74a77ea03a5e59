import { sql } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import type { Secret } from '#core/secret.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type BatchContent, batchRow, isBatch, openBatch, parentOfBatch } from './batch.ts';
import { entityColumns, entityJoin, entityStateColumns } from './entity-state.ts';
import { findTokens, hashToken, type Revisions, readRevisions, type TokenRow } from './store.ts';

/** Finds the valid token with a text. Undefined when it is unknown, expired, revoked or used up. */
export type FindToken = (token: Secret) => Promise<TokenRow | undefined>;

/** Every look-up asks the store; concurrent ones share a round trip. With `usesMin` -1 the last use of a token may be under way. */
export function tokenFinder(store: Pick<Store, 'db' | 'barrier'>, usesMin = 0): FindToken {
  const limits = { batchSizeMax: 64, batchesMax: 4, gatherMs: 5 };
  const find = coalesce((hashes: readonly Buffer[]) => findTokens(store, hashes, usesMin), limits);
  return (token) => (isBatch(token) ? findBatch(store, token, find) : find(hashToken(store.barrier, token)));
}

/** A batch token is valid while its parent is valid and the auth method of its login is mounted. */
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

/** What the validity of a batch token depends on, apart from its parent. */
type Standing = RowOf<typeof standingColumns>;

const standingColumns = {
  ...entityStateColumns,
  /** Whether the auth method of its login is still mounted; true for a token that no login made. */
  mounted: bool,
};

async function readStanding(
  { db }: Pick<Store, 'db'>,
  { entityId, mountAccessor, namespaceId, path }: BatchContent,
): Promise<Standing> {
  if (entityId === '' && mountAccessor === '') return { entity_id: '', entity_state: null, mounted: true };
  const { rows } = await rowsOf(standingColumns)`
    select ${entityColumns(sql`t.id`)},
           ${mountAccessor} = '' or exists (
             select from mounts m where m.accessor = ${mountAccessor} and m.namespace_id = ${namespaceId}
                and starts_with(${path}, m.path)) as mounted
      from (select ${entityId}::text as id) t ${entityJoin(sql`t.id`)}`.execute(db);
  return rows[0] ?? { entity_id: entityId, entity_state: null, mounted: false };
}
