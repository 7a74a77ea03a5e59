import { sql, type Transaction } from 'kysely';
import { unprocessable } from '#path/jsonapi/error.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { insertVariable, takenKeys, type VariableChange } from '../variables/store.ts';
import { readSet } from './find.ts';
import type { SetRow } from './view.ts';

/** The changes of a set. Absent members keep their values, or get the defaults in a new set. Lists replace the present ones. */
export interface SetChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly global?: boolean | undefined;
  readonly priority?: boolean | undefined;
  readonly workspaces?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
}

export type Link = 'workspaces' | 'projects';

/** Variable sets of one organization. */
const setsMax = 1_000;

const taken = { ...takenKeys, ws_variable_sets_name: 'name' };

/**
 * Creates a set with its variables and links.
 *
 * @throws ApiError 422 when the name or a key is taken, or when a linked resource is not in the organization
 */
export function createSet(
  store: Store,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string | null },
  change: SetChange & { readonly name: string },
  variables: readonly VariableChange[],
): Promise<SetRow> {
  const id = newId('varset');
  return withRefusals(taken, () =>
    store.transaction(async (tx) => {
      const { rows } = await sql`
      insert into ws_variable_sets (id, organization_id, project_id, name, description, global, priority)
      select ${id}, ${organizationId}, ${projectId}, ${change.name}, ${change.description ?? ''}, ${change.global ?? false},
             ${change.priority ?? false}
       where (select count(*) from ws_variable_sets where organization_id = ${organizationId}) < ${setsMax}
      returning 1`.execute(tx);
      if (rows.length === 0) throw unprocessable(`An organization may have at most ${setsMax} variable sets`);
      await replaceLinks(tx, id, change);
      for (const variable of variables) await insertVariable(tx, store, { setId: id }, variable);
      return readSet(tx, id);
    }),
  );
}

/** Updates the attributes that were sent. @throws ApiError 422 */
export function updateSet(store: Store, id: string, change: SetChange): Promise<SetRow> {
  const { name, description, global, priority } = change;
  return withRefusals(taken, () =>
    store.transaction(async (tx) => {
      await sql`
      update ws_variable_sets set name = coalesce(${name ?? null}, name), global = coalesce(${global ?? null}, global),
             description = case when ${description === undefined} then description else ${description ?? ''} end,
             priority = coalesce(${priority ?? null}, priority), updated_at = now()
       where id = ${id}`.execute(tx);
      await replaceLinks(tx, id, change);
      return readSet(tx, id);
    }),
  );
}

async function replaceLinks(tx: Transaction<Database>, id: string, { workspaces, projects }: SetChange): Promise<void> {
  for (const [link, ids] of [['workspaces', workspaces] as const, ['projects', projects] as const]) {
    if (ids === undefined) continue;
    const { table } = tables[link];
    await sql`delete from ${sql.table(table)} where variable_set_id = ${id}`.execute(tx);
    await addLinks(tx, id, link, ids);
  }
}

const tables = {
  workspaces: { table: 'ws_variable_set_workspaces', column: 'workspace_id', of: 'ws_workspaces' },
  projects: { table: 'ws_variable_set_projects', column: 'project_id', of: 'ws_projects' },
} as const satisfies Record<Link, object>;

/** Applies a set to more workspaces or projects. @throws ApiError 422 when one of them is not in the organization */
export async function addLinks(db: Store['db'], id: string, link: Link, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { table, column, of } = tables[link];
  const { rows } = await rowsOf({ found: int })`
    with found as (
      select t.id from ${sql.table(of)} t join ws_variable_sets s on s.organization_id = t.organization_id
       where s.id = ${id} and t.id = any(${ids}::text[])
    ), added as (
      insert into ${sql.table(table)} (variable_set_id, ${sql.ref(column)})
      select ${id}, found.id from found where (select count(*) from found) = ${ids.length} on conflict do nothing
    )
    select count(*)::int as found from found`.execute(db);
  if (rows[0]?.found !== ids.length)
    throw unprocessable(
      `${link === 'workspaces' ? 'Workspace' : 'Project'} not found, or you are not authorized to use it.`,
    );
}

/** Stops applying a set to workspaces or projects. Those without the set are ignored. */
export async function removeLinks(db: Store['db'], id: string, link: Link, ids: readonly string[]): Promise<void> {
  const { table, column } = tables[link];
  await sql`delete from ${sql.table(table)} where variable_set_id = ${id} and ${sql.ref(column)} = any(${ids}::text[])`.execute(
    db,
  );
}

export async function deleteSet(db: Store['db'], id: string): Promise<void> {
  await sql`delete from ws_variable_sets where id = ${id}`.execute(db);
}
