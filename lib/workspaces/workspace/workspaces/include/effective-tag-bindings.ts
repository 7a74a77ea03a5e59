import { sql } from 'kysely';
import { toMany } from '../../../../path/jsonapi/resource.ts';
import type { Include } from './including.ts';

interface Row {
  readonly workspace_id: string;
  readonly id: string;
  readonly key: string;
  readonly value: string;
  /** Undefined for those of the workspace itself. */
  readonly inherited_from: string | null;
}

/** Own bindings, and those of the project whose keys the workspace has not (reference, workspaces 1.9). */
export const effectiveTagBindings: Include = async ({ parts, found }) => {
  const ids = found.map(({ workspace }) => workspace.id);
  const { rows } = await sql<Row>`
    select w.id as workspace_id, b.id, b.key, b.value, b.project_id as inherited_from
      from ws_workspaces w join ws_tag_bindings b on b.workspace_id = w.id or b.project_id = w.project_id
     where w.id = any((select ${ids}::text[])::text[])
       and (b.project_id is null or not exists (
         select 1 from ws_tag_bindings o where o.workspace_id = w.id and o.key = b.key))
     order by w.id, b.project_id nulls first, b.position`.execute(parts.store.db);
  const byWorkspace = Map.groupBy(rows, (row) => row.workspace_id);
  return {
    resources: [...new Map(rows.map((row) => [row.id, viewOf(row)])).values()],
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

const viewOf = ({ id, key, value, inherited_from }: Row) => ({
  ...{ id, type: 'effective-tag-bindings', attributes: { key, value } },
  ...(inherited_from === null ? {} : { links: { 'inherited-from': `/api/v2/projects/${inherited_from}` } }),
});
