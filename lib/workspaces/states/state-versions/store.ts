import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { type FoundWorkspace, findWorkspace, mustHave } from '../../access/workspace.ts';

export type StateStatus =
  | 'pending'
  | 'finalized'
  | 'discarded'
  | 'backing_data_soft_deleted'
  | 'backing_data_permanently_deleted';

/** A state version as the store has it. */
export interface StateVersionRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly serial: number;
  readonly lineage: string | null;
  readonly md5: string | null;
  readonly status: StateStatus;
  readonly intermediate: boolean;
  readonly created_by_kind: ApiCaller['kind'] | null;
  readonly created_by: string | null;
  readonly run_id: string | null;
  /** Of the lock under which it was made. */
  readonly lock_epoch: string;
  readonly engine_version: string | null;
  readonly state_format: number | null;
  readonly size: number;
  readonly resources_processed: boolean;
  readonly resources: readonly object[];
  readonly modules: object;
  readonly providers: object;
  /** Sealed. */
  readonly json_outputs: Buffer | null;
  readonly state_blob_id: string | null;
  readonly json_blob_id: string | null;
  readonly created_at: Date;
  readonly output_ids: readonly string[];
}

const columns = sql`s.id, s.workspace_id, s.serial::float8 as serial, s.lineage, s.md5, s.status, s.intermediate, s.created_by_kind,
  s.created_by, s.run_id, s.lock_epoch, s.engine_version, s.state_format, s.size::float8 as size, s.resources_processed, s.resources, s.modules,
  s.providers, s.json_outputs, s.state_blob_id, s.json_blob_id, s.created_at,
  array(select o.id from ws_state_outputs o where o.state_version_id = s.id order by o.position) as output_ids`;

type Db = Pick<Store, 'db'>['db'];

/** State versions `s` that meet a condition, the newest first. */
export async function stateVersionsWhere(
  db: Db,
  condition: RawBuilder<unknown>,
  { size, offset } = { size: 1, offset: 0 },
): Promise<readonly StateVersionRow[]> {
  const { rows } = await sql<StateVersionRow>`
    select ${columns} from ws_state_versions s where ${condition}
     order by s.position desc limit ${size} offset ${offset}`.execute(db);
  return rows;
}

/** @throws ApiError 404 */
export async function readStateVersion(db: Db, id: string): Promise<StateVersionRow> {
  const [row] = await stateVersionsWhere(db, sql`s.id = ${id}`);
  if (row === undefined) throw notFound();
  return row;
}

/** A state version whose workspace the caller may read at that level. @throws ApiError 404 */
export async function findStateVersion(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  id: string,
  level: number,
): Promise<FoundWorkspace & { readonly version: StateVersionRow }> {
  const version = await readStateVersion(store.db, id);
  const found = await findWorkspace(store, caller, { workspace_id: version.workspace_id });
  mustHave(found.levels.state_versions >= level);
  return { ...found, version };
}
