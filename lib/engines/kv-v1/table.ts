import { sql } from 'kysely';
import { coalesce } from '../../core/coalesce.ts';
import { uuid } from '../../core/ids.ts';
import type { Store } from '../../store/store.ts';
import type { EngineParts } from '../contract.ts';
import { whileMounted } from '../mount-gone.ts';
import { placesTable } from '../places.ts';
import { openVersion, sealVersion } from '../sealing.ts';
import type { SecretPlace } from '../secret-path.ts';

/** The JSON text of a secret; undefined: there is none. */
export type SecretReader = (place: SecretPlace) => Promise<string | undefined>;

interface Row {
  readonly n: number;
  readonly id: string;
  readonly data: Buffer;
}

/** Reads secrets; reads that come together go to the database together. */
export function secretReader(store: Store): SecretReader {
  const read = coalesce((batch: readonly SecretPlace[]) => readBatch(store, batch), {
    batchSizeMax: 64,
    batchesMax: 4,
  });
  return async (place) => {
    const row = await read(place);
    return row === undefined ? undefined : openVersion(store.barrier, { ...place, id: row.id }, row.data);
  };
}

async function readBatch(store: Store, batch: readonly SecretPlace[]): Promise<readonly (Row | undefined)[]> {
  const { rows } = await sql<Row>`
    select w.n::int as n, v.id, v.data
      from ${placesTable(batch)} as w (mount_id, path, n)
      join kv_versions v on v.mount_id = w.mount_id and v.path = w.path and v.version = 1
     where v.data is not null`.execute(store.db);
  const found = new Map(rows.map((row) => [row.n, row]));
  return batch.map((_, index) => found.get(index + 1));
}

/**
 * Writes a secret as its one version, number 1, so that a mount that becomes version 2 has it as version 1. The secret's
 * row is taken first: its lock puts concurrent writes in order.
 */
export async function putSecret({ store, clock }: EngineParts, place: SecretPlace, json: string): Promise<undefined> {
  const { mountId, path } = place;
  const id = uuid();
  const data = sealVersion(store.barrier, { ...place, id }, json);
  const write = sql`
    with secret as (
      insert into kv_secrets as s (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions,
                                   cas_required, delete_version_after)
      values (${mountId}::uuid, ${path}, 1, 0, ${clock.now()}::timestamptz, ${clock.now()}::timestamptz, 0, false, 0)
      on conflict (mount_id, path) do update
        set updated_time = excluded.updated_time, revision = s.revision + 1
      returning mount_id, path, updated_time
    )
    insert into kv_versions (mount_id, path, version, id, data, created_time, destroyed, deletion_seen)
    select mount_id, path, 1, ${id}::uuid, ${data}::bytea, updated_time, false, false from secret
    on conflict (mount_id, path, version) do update
      set id = excluded.id, data = excluded.data, created_time = excluded.created_time`;
  await whileMounted(() => write.execute(store.db));
  return undefined;
}

/** Absent: nothing to do. */
export async function deleteSecret({ store }: EngineParts, { mountId, path }: SecretPlace): Promise<undefined> {
  await sql`delete from kv_secrets where mount_id = ${mountId}::uuid and path = ${path}`.execute(store.db);
  return undefined;
}
