import { sql } from 'kysely';
import { AppError, badRequest } from '#core/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '#core/json/json.ts';
import type { IndexedPaths } from '#store/postgres/statements/folder-names.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** Limits of one token. The bytes are counted after encryption. */
export const cubbyholeEntriesMax = 1_000;
export const cubbyholeBytesMax = 16_777_216;

/** The location of one cubbyhole secret. */
export interface CubbyholeLocation {
  /** Keyed hash of the token. */
  readonly owner: Buffer;
  readonly path: string;
}

const aad = ({ owner, path }: CubbyholeLocation): string => `cubbyhole/${owner.toString('hex')}/${path}`;

/** Undefined when it does not exist. */
export async function readEntry({ db, barrier }: Store, location: CubbyholeLocation): Promise<JsonObject | undefined> {
  const row = await db
    .selectFrom('cubbyhole')
    .select('data')
    .where('token_hash', '=', location.owner)
    .where('path', '=', location.path)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const data = parseJson(barrier.open(row.data, aad(location)).toString());
  if (!isJsonObject(data)) throw new AppError('internal', 'a stored cubbyhole secret is not an object');
  return data;
}

/**
 * Replaces an entry. The lock on the token's row serializes the writes of one token, so that the limits hold exactly.
 *
 * @throws AppError `bad-request` beyond the limits, and for a batch token, which is not stored and has no cubbyhole
 */
export async function writeEntry(store: Store, location: CubbyholeLocation, json: string): Promise<void> {
  const data = store.barrier.seal(json, aad(location));
  await store.transaction(async (tx) => {
    const owner = await sql`select 1 from tokens where hash = ${location.owner} for no key update`.execute(tx);
    if (owner.rows.length === 0) throw badRequest('cubbyhole operations are only supported by service tokens');
    const { rows } = await rowsOf({ entries: int, bytes: int })`
      select count(*)::int as entries, coalesce(sum(octet_length(data)), 0)::int as bytes from cubbyhole
       where token_hash = ${location.owner} and path <> ${location.path}`.execute(tx);
    mustFit(rows[0], data.length);
    await tx
      .insertInto('cubbyhole')
      .values({ token_hash: location.owner, path: location.path, data })
      .onConflict((conflict) => conflict.columns(['token_hash', 'path']).doUpdateSet({ data }))
      .execute();
  });
}

function mustFit(others: { readonly entries: number; readonly bytes: number } | undefined, bytes: number): void {
  if ((others?.entries ?? 0) >= cubbyholeEntriesMax)
    throw badRequest(`the cubbyhole of a token can hold at most ${cubbyholeEntriesMax} secrets`);
  if ((others?.bytes ?? 0) + bytes > cubbyholeBytesMax)
    throw badRequest(`the cubbyhole of a token can hold at most ${cubbyholeBytesMax} bytes`);
}

/** Does nothing when the entry does not exist. */
export async function deleteEntry({ db }: Store, { owner, path }: CubbyholeLocation): Promise<void> {
  await db.deleteFrom('cubbyhole').where('token_hash', '=', owner).where('path', '=', path).execute();
}

/** The paths of all entries of a token. */
export const entryPaths = (owner: Buffer): IndexedPaths => ({
  path: sql`path`,
  of: sql`cubbyhole where token_hash = ${owner}`,
});
