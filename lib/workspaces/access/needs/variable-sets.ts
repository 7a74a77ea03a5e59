import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import { variableLevels } from '../levels.ts';
import { levelsEverywhere, managesWorkspaces, organizationAccessById, type Standing } from '../standing.ts';
import { noun, parameterOf } from './noun.ts';

/** A variable set that the caller may read, and the caller's access to its organization. */
export interface FoundVariableSet {
  readonly id: string;
  readonly standing: Standing;
}

/**
 * The condition that the caller may read the set `s`: one that applies to a workspace whose variables it may read. A caller that may read all
 * workspaces may read all sets.
 */
export function isReadableSet(standing: Standing): RawBuilder<unknown> {
  if (levelsEverywhere(standing).variables >= variableLevels.read) return sql`true`;
  const granted = sql`g.team_id = any(${standing.teamIds}::text[]) and g.variables >= ${variableLevels.read}`;
  return sql`exists (
    select 1 from ws_grants g left join ws_workspaces w on w.id = g.workspace_id
     where ${granted} and coalesce(w.organization_id, (select organization_id from ws_projects where id = g.project_id)) = s.organization_id
       and (s.global
         or exists (select 1 from ws_variable_set_projects p
                     where p.variable_set_id = s.id and p.project_id in (g.project_id, w.project_id))
         or exists (select 1 from ws_variable_set_workspaces l join ws_workspaces x on x.id = l.workspace_id
                     where l.variable_set_id = s.id and (x.id = g.workspace_id or x.project_id = g.project_id))))`;
}

/** A variable set by the path's `varset_id`. Changing it changes the variables of many workspaces. */
export const variableSet = noun(
  async (store, { caller, parameters }): Promise<FoundVariableSet> => {
    const id = parameterOf(parameters, 'varset_id');
    const organization = sql`(select organization_id from ws_variable_sets where id = ${id})`;
    const standing = await organizationAccessById(store, caller, organization);
    const { rows } = await sql`
      select 1 from ws_variable_sets s where s.id = ${id} and ${isReadableSet(standing)}`.execute(store.db);
    if (rows.length === 0) throw notFound();
    return { id, standing };
  },
  { read: () => true, manage: ({ standing }) => managesWorkspaces(standing) },
);
