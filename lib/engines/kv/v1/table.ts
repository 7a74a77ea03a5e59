import { sql } from 'kysely';
import { coalesce } from '../../../core/concurrency/coalesce.ts';
import type { Store } from '../../../store/store.ts';
import type { EngineParts } from '../../contract.ts';
import { locationsTable, type SecretLocation } from '../shared/secret-path.ts';
import { type StoredData, storedData } from '../shared/stored-version.ts';

/** The row of a secret, which is its version 1; undefined: there is none. */
export type SecretReader = (location: SecretLocation) => Promise<Row | undefined>;

interface Row extends StoredData {
  readonly n: number;
  readonly id: string;
}

/** Reads secrets; reads that come together go to the database together. */
export function secretReader(store: Store): SecretReader {
  return coalesce((batch: readonly SecretLocation[]) => readBatch(store, batch), { batchSizeMax: 64, batchesMax: 4 });
}

async function readBatch(store: Store, batch: readonly SecretLocation[]): Promise<readonly (Row | undefined)[]> {
  const { rows } = await sql<Row>`
    select w.n::int as n, v.id, ${storedData}
      from ${locationsTable(batch)} as w (mount_id, path, n)
      join kv_versions v on v.mount_id = w.mount_id and v.path = w.path and v.version = 1
     where v.data is not null`.execute(store.db);
  const found = new Map(rows.map((row) => [row.n, row]));
  return batch.map((_, index) => found.get(index + 1));
}

/** Absent: nothing to do. */
export async function deleteSecret({ store }: EngineParts, { mountId, path }: SecretLocation): Promise<undefined> {
  await sql`delete from kv_secrets where mount_id = ${mountId}::uuid and path = ${path}`.execute(store.db);
  return undefined;
}
