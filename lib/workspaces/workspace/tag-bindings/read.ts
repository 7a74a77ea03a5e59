import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import { type BindingOwner, ownerColumn } from './write.ts';

export interface BindingRow {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly created_at: Date;
}

export interface EffectiveRow extends BindingRow {
  /** A project; null: it is the thing's own. */
  readonly inherited_from: string | null;
}

/** The bindings that a workspace or a project has itself, in the order in which they were added; few by their bound. */
export async function ownBindings({ db }: Pick<Store, 'db'>, owner: BindingOwner): Promise<readonly BindingRow[]> {
  const { column, id } = ownerColumn(owner);
  const { rows } = await sql<BindingRow>`
    select id, key, value, created_at from ws_tag_bindings where ${column} = ${id} order by position`.execute(db);
  return rows;
}

/** Its own bindings, then those of its project whose keys it has not. A project inherits none. */
export async function effectiveBindings(
  store: Pick<Store, 'db'>,
  owner: BindingOwner,
): Promise<readonly EffectiveRow[]> {
  if ('projectId' in owner) return (await ownBindings(store, owner)).map((row) => ({ ...row, inherited_from: null }));
  const { rows } = await sql<EffectiveRow>`
    select b.id, b.key, b.value, b.created_at, b.project_id as inherited_from
      from ws_workspaces w join ws_tag_bindings b on b.workspace_id = w.id or b.project_id = w.project_id
     where w.id = ${owner.workspaceId}
       and (b.workspace_id is not null or not exists (
         select 1 from ws_tag_bindings o where o.workspace_id = w.id and o.key = b.key))
     order by b.workspace_id nulls last, b.position`.execute(store.db);
  return rows;
}
