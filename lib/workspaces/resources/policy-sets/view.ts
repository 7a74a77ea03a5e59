import { sql } from 'kysely';
import { type Resource, timeText, toMany, toOne } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, text } from '#store/sql/kinds.ts';
import { wsPolicySetsTable } from '#store/tables/runs.ts';

/** A policy set as shown. */
export type SetRow = RowOf<typeof setColumns>;

export const setColumns = {
  ...wsPolicySetsTable,
  organization_name: text,
  policy_ids: arrayOf(text),
  workspace_ids: arrayOf(text),
  project_ids: arrayOf(text),
  exclusion_ids: arrayOf(text),
};

/** Columns of `SetRow` for the policy set `s` of organization `o`. */
export const shownSet = sql`s.*, o.name as organization_name,
  array(select policy_id from ws_policy_set_policies where policy_set_id = s.id order by 1) as policy_ids,
  array(select workspace_id from ws_policy_set_workspaces where policy_set_id = s.id order by 1) as workspace_ids,
  array(select project_id from ws_policy_set_projects where policy_set_id = s.id order by 1) as project_ids,
  array(select workspace_id from ws_policy_set_exclusions where policy_set_id = s.id order by 1) as exclusion_ids`;

/** The document of a policy set. */
export const setOf = ({ id, ...row }: SetRow): Resource => ({
  id,
  type: 'policy-sets',
  attributes: {
    name: row.name,
    description: row.description,
    kind: 'opa',
    global: row.global,
    overridable: row.overridable,
    'agent-enabled': true,
    'policy-tool-version': 'latest',
    'policies-path': null,
    'vcs-repo': null,
    versioned: false,
    'policy-count': row.policy_ids.length,
    'workspace-count': row.workspace_ids.length,
    'project-count': row.project_ids.length,
    'created-at': timeText(row.created_at),
    'updated-at': timeText(row.updated_at),
  },
  relationships: {
    organization: toOne('organizations', row.organization_name),
    policies: toMany('policies', row.policy_ids),
    workspaces: toMany('workspaces', row.workspace_ids),
    projects: toMany('projects', row.project_ids),
    'workspace-exclusions': toMany('workspaces', row.exclusion_ids),
  },
  links: { self: `/api/v2/policy-sets/${id}` },
});
