import { randomBytes } from 'node:crypto';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsVariablesTable } from '#store/tables/variables.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { mustBeKey, type VariableSettings } from './fields.ts';
import { type VariableRow, valueName } from './view.ts';

/** The owner of variables. */
export type VariableOwner = { readonly workspaceId: string } | { readonly setId: string };

/** The changes of a variable. Absent members keep their values, or get the defaults in a new variable. */
export type VariableChange = { readonly [K in keyof VariableSettings]?: VariableSettings[K] | null | undefined } & {
  readonly value?: string | null | undefined;
};

/** Variables of one owner. */
const variablesMax = 1_000;

/** As long as a SHA-256 hash, which clients expect. */
const newVersion = (): string => randomBytes(32).toString('hex');

const isOf = (owner: VariableOwner): RawBuilder<unknown> =>
  'workspaceId' in owner ? sql`workspace_id = ${owner.workspaceId}` : sql`variable_set_id = ${owner.setId}`;

/** All variables of an owner, in the order of their creation. Their number is limited. */
export async function listVariables({ db }: Pick<Store, 'db'>, owner: VariableOwner): Promise<readonly VariableRow[]> {
  const { rows } = await rowsOf(wsVariablesTable)`
    select * from ws_variables where ${isOf(owner)} order by position`.execute(db);
  return rows;
}

/** Variables of several workspaces, up to a limit. */
export async function listVariablesOf(
  { db }: Pick<Store, 'db'>,
  workspaceIds: readonly string[],
  countMax: number,
): Promise<readonly VariableRow[]> {
  const { rows } = await rowsOf(wsVariablesTable)`
    select * from ws_variables where workspace_id = any((select ${workspaceIds}::text[])::text[])
     order by workspace_id, position limit ${countMax}`.execute(db);
  return rows;
}

/** @throws ApiError 404 */
export async function readVariable({ db }: Pick<Store, 'db'>, owner: VariableOwner, id: string): Promise<VariableRow> {
  const { rows } = await rowsOf(wsVariablesTable)`
    select * from ws_variables where id = ${id} and ${isOf(owner)}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** The unique constraints of the table. */
export const takenKeys = {
  ws_variables_workspace_id_category_key_key: 'key',
  ws_variables_variable_set_id_category_key_key: 'key',
};

/**
 * Creates a variable.
 *
 * @throws ApiError 422 when the key is taken or invalid, or when there are too many variables
 */
export function createVariable(store: Store, owner: VariableOwner, change: VariableChange): Promise<VariableRow> {
  return withRefusals(takenKeys, () => store.transaction((tx) => insertVariable(tx, store, owner, change)));
}

/** The same in a given transaction. */
export async function insertVariable(
  tx: Transaction<Database>,
  { barrier }: Pick<Store, 'barrier'>,
  owner: VariableOwner,
  change: VariableChange,
): Promise<VariableRow> {
  const settings = settingsOf(change);
  const id = newId('var');
  const [workspaceId, setId] = 'workspaceId' in owner ? [owner.workspaceId, null] : [null, owner.setId];
  const { rows } = await rowsOf(wsVariablesTable)`
    insert into ws_variables (id, workspace_id, variable_set_id, key, value, description, category, hcl, sensitive, version)
    select ${id}, ${workspaceId}, ${setId}, ${settings.key}, ${barrier.seal(change.value ?? '', valueName(id))},
           ${settings.description}, ${settings.category}, ${settings.hcl}, ${settings.sensitive}, ${newVersion()}
     where (select count(*) from ws_variables where ${isOf(owner)}) < ${variablesMax}
    returning *`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw unprocessable(`There may be at most ${variablesMax} variables`);
  return row;
}

function settingsOf({ key, category, description, hcl, sensitive }: Omit<VariableChange, 'value'>): VariableSettings {
  if (key === undefined || key === null) throw invalidAttribute('key', "Key can't be blank");
  if (category === undefined || category === null) throw invalidAttribute('category', "Category can't be blank");
  const settings = {
    key,
    category,
    description: description ?? '',
    hcl: hcl ?? false,
    sensitive: sensitive ?? false,
  };
  mustBeKey(settings);
  return settings;
}

/**
 * Updates the attributes that were sent.
 *
 * @throws ApiError 404; 422 when the key is taken, or when the request makes a sensitive variable readable
 */
export function updateVariable(
  store: Store,
  owner: VariableOwner,
  id: string,
  change: VariableChange,
): Promise<VariableRow> {
  return withRefusals(takenKeys, () =>
    store.transaction(async (tx) => {
      const { rows } = await rowsOf(wsVariablesTable)`
        select * from ws_variables where id = ${id} and ${isOf(owner)} for update`.execute(tx);
      const [before] = rows;
      if (before === undefined) throw notFound();
      const settings = settingsOf({ ...before, ...present(change) });
      if (before.sensitive && !settings.sensitive)
        throw invalidAttribute('sensitive', 'Sensitive cannot be changed once it is true; delete the variable first');
      const value =
        change.value === undefined ? before.value : store.barrier.seal(change.value ?? '', valueName(before.id));
      const { rows: after } = await rowsOf(wsVariablesTable)`
        update ws_variables set key = ${settings.key}, value = ${value}, description = ${settings.description},
               category = ${settings.category}, hcl = ${settings.hcl}, sensitive = ${settings.sensitive}, version = ${newVersion()}
         where id = ${before.id} returning *`.execute(tx);
      return after[0] ?? before;
    }),
  );
}

const present = (change: VariableChange): Partial<VariableSettings> =>
  Object.fromEntries(
    Object.entries(change).filter(([name, value]) => name !== 'value' && value !== undefined && value !== null),
  );

/** @throws ApiError 404 */
export async function deleteVariable({ db }: Pick<Store, 'db'>, owner: VariableOwner, id: string): Promise<void> {
  const { rows } = await sql`delete from ws_variables where id = ${id} and ${isOf(owner)} returning 1`.execute(db);
  if (rows.length === 0) throw notFound();
}
