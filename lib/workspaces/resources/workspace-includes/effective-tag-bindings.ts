import { toMany } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { effectiveRowColumns } from '../tag-bindings/read.ts';
import { effectiveBindingResource } from '../tag-bindings/view.ts';
import type { Include } from './including.ts';

type Row = RowOf<typeof bindingColumns>;

const bindingColumns = { ...effectiveRowColumns, workspace_id: text };

/** Own bindings, and those of the project with other keys. */
export const effectiveTagBindings: Include = async ({ parts, found }) => {
  const ids = found.map(({ workspace }) => workspace.id);
  const { rows } = await rowsOf(bindingColumns)`
    select w.id as workspace_id, b.id, b.key, b.value, b.created_at, b.project_id as inherited_from
      from ws_workspaces w join ws_tag_bindings b on b.workspace_id = w.id or b.project_id = w.project_id
     where w.id = any((select ${ids}::text[])::text[])
       and (b.project_id is null or not exists (
         select 1 from ws_tag_bindings o where o.workspace_id = w.id and o.key = b.key))
     order by w.id, b.project_id nulls first, b.position`.execute(parts.store.db);
  const byWorkspace = Map.groupBy(rows, (row) => row.workspace_id);
  return {
    resources: [...new Map(rows.map((row) => [row.id, effectiveBindingResource(row)])).values()],
    relationships: new Map(
      ids.map((id) => [id, { 'effective-tag-bindings': linked(id, byWorkspace.get(id) ?? []) }] as const),
    ),
  };
};

const linked = (id: string, rows: readonly Row[]) => ({
  ...toMany(
    'effective-tag-bindings',
    rows.map((row) => row.id),
  ),
  links: { related: `/api/v2/workspaces/${id}/effective-tag-bindings` },
});
