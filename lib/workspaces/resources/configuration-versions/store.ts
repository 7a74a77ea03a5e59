import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { nullable, textMap } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsConfigurationVersionsTable } from '#store/tables/runs.ts';
import { callerKind } from '../../access/bearer.ts';

/** A configuration version as stored. */
export type ConfigurationVersionRow = RowOf<typeof rowColumns>;

const rowColumns = {
  ...wsConfigurationVersionsTable,
  created_by_kind: nullable(callerKind),
  timestamps: textMap,
};

type Db = Pick<Store, 'db'>['db'];

/** Configuration versions `c` that meet a condition, newest first. */
export async function configurationVersionsWhere(
  db: Db,
  condition: RawBuilder<unknown>,
  { size, offset } = { size: 1, offset: 0 },
): Promise<readonly ConfigurationVersionRow[]> {
  const { rows } = await rowsOf(rowColumns)`
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
