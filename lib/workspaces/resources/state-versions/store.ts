import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { notFound } from '#path/jsonapi/error.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { arrayOf, bigintText, float, jsonOf, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsStateVersionsTable } from '#store/tables/states.ts';
import { callerKind } from '../../access/bearer.ts';
import { instancesByType, resourceSummary } from '../workspace-resources/counts.ts';

export type StateStatus = StateVersionRow['status'];

/** A state version as stored. */
export type StateVersionRow = RowOf<typeof stateColumns>;

const stateColumns = {
  ...pick(wsStateVersionsTable, 'id', 'workspace_id', 'lineage', 'md5', 'status', 'intermediate', 'created_by'),
  ...pick(wsStateVersionsTable, 'run_id', 'engine_version', 'state_format', 'resources_processed', 'json_outputs'),
  ...pick(wsStateVersionsTable, 'state_blob_id', 'json_blob_id', 'created_at'),
  serial: float,
  size: float,
  created_by_kind: nullable(callerKind),
  /** The lock under which it was created. */
  lock_epoch: bigintText,
  resources: jsonOf(z.array(resourceSummary).readonly()),
  modules: jsonOf(instancesByType),
  providers: jsonOf(instancesByType),
  output_ids: arrayOf(text),
};

const columns = sql`s.id, s.workspace_id, s.serial::float8 as serial, s.lineage, s.md5, s.status, s.intermediate, s.created_by_kind,
  s.created_by, s.run_id, s.lock_epoch, s.engine_version, s.state_format, s.size::float8 as size, s.resources_processed, s.resources, s.modules,
  s.providers, s.json_outputs, s.state_blob_id, s.json_blob_id, s.created_at,
  array(select o.id from ws_state_outputs o where o.state_version_id = s.id order by o.position) as output_ids`;

type Db = Pick<Store, 'db'>['db'];

/** State versions `s` that meet a condition, newest first. */
export async function stateVersionsWhere(
  db: Db,
  condition: RawBuilder<unknown>,
  { size, offset } = { size: 1, offset: 0 },
): Promise<readonly StateVersionRow[]> {
  const { rows } = await rowsOf(stateColumns)`
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
