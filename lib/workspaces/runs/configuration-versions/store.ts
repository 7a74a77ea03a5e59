import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';

/** A configuration version as the store has it. */
export interface ConfigurationVersionRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly status: 'pending' | 'uploaded' | 'archived' | 'errored';
  readonly source: string;
  readonly auto_queue_runs: boolean;
  readonly speculative: boolean;
  readonly provisional: boolean;
  readonly created_by_kind: ApiCaller['kind'] | null;
  readonly created_by: string | null;
  readonly timestamps: Readonly<Record<string, string>>;
  readonly blob_id: string | null;
}

type Db = Pick<Store, 'db'>['db'];

/** Configuration versions `c` that meet a condition, the newest first. */
export async function configurationVersionsWhere(
  db: Db,
  condition: RawBuilder<unknown>,
  { size, offset } = { size: 1, offset: 0 },
): Promise<readonly ConfigurationVersionRow[]> {
  const { rows } = await sql<ConfigurationVersionRow>`
    select c.* from ws_configuration_versions c where ${condition}
     order by c.position desc limit ${size} offset ${offset}`.execute(db);
  return rows;
}

/** @throws ApiError 404 */
export async function readConfigurationVersion(db: Db, id: string): Promise<ConfigurationVersionRow> {
  const [row] = await configurationVersionsWhere(db, sql`c.id = ${id}`);
  if (row === undefined) throw notFound();
  return row;
}
