import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, jsonObject, nullable, text, textMap } from '#store/sql/kinds.ts';
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
  /** The commit that it was made from. */
  ingress_id: nullable(text),
  changed_files: nullable(arrayOf(text)),
  ingress: nullable(jsonObject),
  commit_sha: nullable(text),
};

type Db = Pick<Store, 'db'>['db'];

/** Configuration versions `c` that meet a condition, newest first. */
export async function configurationVersionsWhere(
  db: Db,
  condition: RawBuilder<unknown>,
  { size, offset } = { size: 1, offset: 0 },
): Promise<readonly ConfigurationVersionRow[]> {
  const { rows } = await rowsOf(rowColumns)`
    select c.*, i.id as ingress_id, i.changed_files, i.attributes as ingress, i.commit_sha
      from ws_configuration_versions c left join ws_ingresses i on i.configuration_version_id = c.id where ${condition}
     order by c.position desc limit ${size} offset ${offset}`.execute(db);
  return rows;
}

/** @throws ApiError 404 */
export async function readConfigurationVersion(db: Db, id: string): Promise<ConfigurationVersionRow> {
  const [row] = await configurationVersionsWhere(db, sql`c.id = ${id}`);
  if (row === undefined) throw notFound();
  return row;
}
