import { pick, type RowOf } from '#store/sql/columns.ts';
import { nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsTagBindingsTable } from '#store/tables/workspaces.ts';
import { type BindingOwner, ownerColumn } from './write.ts';

export type BindingRow = RowOf<typeof bindingRowColumns>;

export const bindingRowColumns = pick(wsTagBindingsTable, 'id', 'key', 'value', 'created_at');

export type EffectiveRow = RowOf<typeof effectiveRowColumns>;

export const effectiveRowColumns = {
  ...bindingRowColumns,
  /** The project it comes from; null for an own binding. */
  inherited_from: nullable(text),
};

/** The own bindings of a workspace or a project, in the order of their creation. Their number is limited. */
export async function ownBindings({ db }: Pick<Store, 'db'>, owner: BindingOwner): Promise<readonly BindingRow[]> {
  const { column, id } = ownerColumn(owner);
  const { rows } = await rowsOf(bindingRowColumns)`
    select id, key, value, created_at from ws_tag_bindings where ${column} = ${id} order by position`.execute(db);
  return rows;
}

/** The own bindings, followed by those of the project with other keys. Projects do not inherit bindings. */
export async function effectiveBindings(
  store: Pick<Store, 'db'>,
  owner: BindingOwner,
): Promise<readonly EffectiveRow[]> {
  if ('projectId' in owner) return (await ownBindings(store, owner)).map((row) => ({ ...row, inherited_from: null }));
  const { rows } = await rowsOf(effectiveRowColumns)`
    select b.id, b.key, b.value, b.created_at, b.project_id as inherited_from
      from ws_workspaces w join ws_tag_bindings b on b.workspace_id = w.id or b.project_id = w.project_id
     where w.id = ${owner.workspaceId}
       and (b.workspace_id is not null or not exists (
         select 1 from ws_tag_bindings o where o.workspace_id = w.id and o.key = b.key))
     order by b.workspace_id nulls last, b.position`.execute(store.db);
  return rows;
}
