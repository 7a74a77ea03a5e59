import { sql, type Transaction } from 'kysely';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { mustBeNew } from '../../frame/unique.ts';
import { insertVariable, type VariableChange } from '../variables/store.ts';
import { readSet } from './find.ts';
import type { SetRow } from './view.ts';

/** What a client sent of a set; absent: unchanged, or the default. Lists replace those that there are. */
export interface SetChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly global?: boolean | undefined;
  readonly priority?: boolean | undefined;
  readonly workspaces?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
}

export type Link = 'workspaces' | 'projects';

/** Of one organization. */
const setsMax = 1_000;

/**
 * Makes a set with its variables and what it applies to.
 *
 * @throws ApiError 422: the name or a key is taken, or something is not in the organization
 */
export function createSet(
  store: Store,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string | null },
  change: SetChange & { readonly name: string },
  variables: readonly VariableChange[],
): Promise<SetRow> {
  const id = newId('varset');
  const made = store.transaction(async (tx) => {
    const { rows } = await sql`
      insert into ws_variable_sets (id, organization_id, project_id, name, description, global, priority)
      select ${id}, ${organizationId}, ${projectId}, ${change.name}, ${change.description ?? ''}, ${change.global ?? false},
             ${change.priority ?? false}
       where (select count(*) from ws_variable_sets where organization_id = ${organizationId}) < ${setsMax}
      returning 1`.execute(tx);
    if (rows.length === 0) throw unprocessable(`there may be at most ${setsMax} variable sets in an organization`);
    await replaceLinks(tx, id, change);
    for (const variable of variables) await insertVariable(tx, store, { setId: id }, variable);
    return readSet(tx, id);
  });
  return mustBeNew('name', made);
}

/** Changes what was sent. @throws ApiError 422 */
export function updateSet(store: Store, id: string, change: SetChange): Promise<SetRow> {
  const { name, description, global, priority } = change;
  const changed = store.transaction(async (tx) => {
    await sql`
      update ws_variable_sets set name = coalesce(${name ?? null}, name), global = coalesce(${global ?? null}, global),
             description = case when ${description === undefined} then description else ${description ?? ''} end,
             priority = coalesce(${priority ?? null}, priority), updated_at = now()
       where id = ${id}`.execute(tx);
    await replaceLinks(tx, id, change);
    return readSet(tx, id);
  });
  return mustBeNew('name', changed);
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

/** Lets a set apply to these as well. @throws ApiError 422: one of them is not in its organization */
export async function addLinks(db: Store['db'], id: string, link: Link, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { table, column, of } = tables[link];
  const { rows } = await sql<{ found: number }>`
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

/** Lets a set apply to these no more; those to which it does not are of no matter. */
export async function removeLinks(db: Store['db'], id: string, link: Link, ids: readonly string[]): Promise<void> {
  const { table, column } = tables[link];
  await sql`delete from ${sql.table(table)} where variable_set_id = ${id} and ${sql.ref(column)} = any(${ids}::text[])`.execute(
    db,
  );
}

export async function deleteSet(db: Store['db'], id: string): Promise<void> {
  await sql`delete from ws_variable_sets where id = ${id}`.execute(db);
}
