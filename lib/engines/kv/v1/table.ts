import { sql } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { int } from '#store/sql/kinds.ts';
import { type From, prepared } from '#store/sql/prepared.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { kvVersionsTable } from '#store/tables/secrets.ts';
import type { EngineParts } from '../../contract.ts';
import { locationsTable, type SecretLocation } from '../shared/secret-path.ts';
import { storedData, storedDataColumns } from '../shared/stored-version.ts';

/** The row of a secret, which is stored as version 1; undefined when it does not exist. */
export type SecretReader = (location: SecretLocation) => Promise<Row | undefined>;

type Row = RowOf<typeof columns>;

const columns = { ...storedDataColumns, ...pick(kvVersionsTable, 'id'), n: int };

/** Reads secrets; concurrent reads share one round trip. */
export function secretReader(store: Store): SecretReader {
  return coalesce((batch: readonly SecretLocation[]) => readBatch(store, batch), { batchSizeMax: 64, batchesMax: 4 });
}

const readStatement = prepared(
  columns,
  (from: From<readonly SecretLocation[]>) => rowsOf(columns)`
    select w.n::int as n, v.id, ${storedData}
      from ${locationsTable(from)} as w (mount_id, path, n)
      join kv_versions v on v.mount_id = w.mount_id and v.path = w.path and v.version = 1
     where v.data is not null`,
);

async function readBatch(store: Store, batch: readonly SecretLocation[]): Promise<readonly (Row | undefined)[]> {
  const rows = await readStatement(store.db, batch);
  const found = new Map(rows.map((row) => [row.n, row]));
  return batch.map((_, index) => found.get(index + 1));
}

/** Does nothing when the secret does not exist. */
export async function deleteSecret({ store }: EngineParts, { mountId, path }: SecretLocation): Promise<undefined> {
  await sql`delete from kv_secrets where mount_id = ${mountId}::uuid and path = ${path}`.execute(store.db);
  return undefined;
}
