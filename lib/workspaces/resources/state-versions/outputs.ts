import { sql, type Transaction } from 'kysely';
import { type Json, parseJson } from '#core/json/json.ts';
import { jsonPieces } from '#core/json/write.ts';
import type { Resource } from '#path/jsonapi/resource.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bytea } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsStateOutputsTable } from '#store/tables/states.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';
import type { Output } from './summary.ts';

export type OutputRow = RowOf<typeof outputRowColumns>;

export const outputRowColumns = {
  ...pick(wsStateOutputsTable, 'id', 'state_version_id', 'name', 'sensitive', 'type', 'detailed_type'),
  /** Encrypted. */
  value: bytea,
};

const valueName = (id: string): string => `ws_state_outputs/${id}`;

/** Stores the outputs of a state version in one statement. */
export async function insertOutputs(
  tx: Transaction<Database>,
  { barrier }: Pick<Store, 'barrier'>,
  versionId: string,
  outputs: readonly Output[],
): Promise<void> {
  const rows = outputs.map((output) => ({ ...output, id: newId('wsout') }));
  if (rows.length === 0) return;
  await sql`
    insert into ws_state_outputs (id, state_version_id, position, name, sensitive, type, detailed_type, value)
    select o.id, ${versionId}, o.n, o.name, o.sensitive, o.type, o.detailed_type::jsonb, o.value
      from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ name }) => name)}::text[],
                  ${rows.map(({ sensitive }) => sensitive)}::boolean[], ${rows.map(({ type }) => typeName(type))}::text[],
                  ${rows.map(({ type }) => JSON.stringify(type))}::text[],
                  ${rows.map(({ id, value }) => barrier.seal(jsonOf(value), valueName(id)))}::bytea[])
           with ordinality as o (id, name, sensitive, type, detailed_type, value, n)`.execute(tx);
}

/** The outputs of a state version in their order. */
export async function outputsOfVersions(
  { db }: Pick<Store, 'db'>,
  versionIds: readonly string[],
  countMax: number | null = null,
): Promise<readonly OutputRow[]> {
  const { rows } = await rowsOf(outputRowColumns)`
    select id, state_version_id, name, sensitive, type, detailed_type, value from ws_state_outputs
     where state_version_id = any(${versionIds}::text[]) order by state_version_id, position limit ${countMax}`.execute(
    db,
  );
  return rows;
}

/** The document of an output. `hidden` omits a sensitive value. */
export function outputOf(store: Pick<Store, 'barrier'>, row: OutputRow, { hidden }: { hidden: boolean }): Resource {
  const { id, name, sensitive, type, detailed_type } = row;
  const value = hidden && sensitive ? null : outputValueOf(store, row);
  return {
    id,
    type: 'state-version-outputs',
    attributes: { name, sensitive, type, value, 'detailed-type': detailed_type },
    links: { self: `/api/v2/state-version-outputs/${id}` },
  };
}

export const outputValueOf = ({ barrier }: Pick<Store, 'barrier'>, { id, value }: OutputRow): Json =>
  parseJson(barrier.open(value, valueName(id)).toString());

/** The simple name of an engine type, which is a string or a list starting with a string: `["list", "string"]` is `array`. */
function typeName(type: Json): string {
  const name = Array.isArray(type) ? type[0] : type;
  return simpleNames[typeof name === 'string' ? name : ''] ?? 'string';
}

const simpleNames: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  bool: 'boolean',
  list: 'array',
  set: 'array',
  tuple: 'array',
  map: 'object',
  object: 'object',
  dynamic: 'string',
};

const jsonOf = (value: Json): Buffer =>
  Buffer.concat([...jsonPieces(value)].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
