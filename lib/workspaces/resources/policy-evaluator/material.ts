import type { Json } from '#core/json/json.ts';
import { timeText } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, bool, jsonObject, nullable, oneOf, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { policyLevels } from '../../frame/policies.ts';
import { appliesTo } from '../policy-sets/applying.ts';

type Db = Pick<Store, 'db'>;

const runColumns = {
  run_id: text,
  message: text,
  plan_only: bool,
  created_at: timestamptz,
  created_by: nullable(text),
  settings: jsonObject,
  auto_apply: bool,
  plan_json_id: nullable(text),
  workspace_id: text,
  workspace_name: text,
  workspace_settings: jsonObject,
  project_id: text,
  project_name: text,
  organization_id: text,
  organization_name: text,
};

/** The run that policies are asked about. */
export type RunFacts = RowOf<typeof runColumns>;

/** Undefined when the run was deleted meanwhile. */
export async function runFacts({ db }: Db, evaluationId: string): Promise<RunFacts | undefined> {
  const { rows } = await rowsOf(runColumns)`
    select r.id as run_id, r.message, r.plan_only, r.created_at, r.settings, r.auto_apply, j.plan_json_id,
           coalesce((select username from ws_users where id = r.created_by), (select name from ws_teams where id = r.created_by)) as created_by,
           w.id as workspace_id, w.name as workspace_name, w.settings as workspace_settings,
           p.id as project_id, p.name as project_name, o.id as organization_id, o.name as organization_name
      from ws_policy_evaluations e join ws_task_stages s on s.id = e.stage_id join ws_runs r on r.id = s.run_id
      left join ws_run_jobs j on j.run_id = r.id and j.part = 'plan'
      join ws_workspaces w on w.id = r.workspace_id join ws_projects p on p.id = w.project_id
      join ws_organizations o on o.id = w.organization_id
     where e.id = ${evaluationId}`.execute(db);
  return rows[0];
}

/** `input.run`, by the names that policies of the API family use. */
export const runInput = (facts: RunFacts): Json => {
  const { settings, workspace_settings: workspace } = facts;
  const folder = workspace['working-directory'];
  return {
    id: facts.run_id,
    message: facts.message,
    created_at: timeText(facts.created_at),
    created_by: facts.created_by,
    is_destroy: settings['is-destroy'] === true,
    refresh: settings['refresh'] !== false,
    refresh_only: settings['refresh-only'] === true,
    replace_addrs: textsIn(settings['replace-addrs']),
    target_addrs: textsIn(settings['target-addrs']),
    speculative: facts.plan_only,
    project: { id: facts.project_id, name: facts.project_name },
    organization: { name: facts.organization_name },
    workspace: {
      id: facts.workspace_id,
      name: facts.workspace_name,
      auto_apply: facts.auto_apply,
      working_directory: typeof folder === 'string' ? folder : '',
    },
  };
};

const textsIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];

const setColumns = {
  id: text,
  name: text,
  description: nullable(text),
  overridable: bool,
  policy_ids: arrayOf(text),
};
export type ApplyingSet = RowOf<typeof setColumns>;

/** The policy sets that apply to a workspace, by name. An organization has a bounded number. */
export async function setsOf({ db }: Db, workspaceId: string): Promise<readonly ApplyingSet[]> {
  const { rows } = await rowsOf(setColumns)`
    select s.id, s.name, s.description, s.overridable,
           array(select l.policy_id from ws_policy_set_policies l join ws_policies p on p.id = l.policy_id
                  where l.policy_set_id = s.id order by p.name collate "C") as policy_ids
      from ws_workspaces w join ws_policy_sets s on ${appliesTo}
     where w.id = ${workspaceId} order by s.name collate "C"`.execute(db);
  return rows;
}

const policyColumns = {
  id: text,
  name: text,
  description: nullable(text),
  query: text,
  enforcement_level: oneOf(...policyLevels),
  source: nullable(text),
};
export type AskedPolicy = RowOf<typeof policyColumns>;

/** A policy as it is now; undefined when it was deleted meanwhile. */
export async function readAsked({ db }: Db, id: string): Promise<AskedPolicy | undefined> {
  const { rows } = await rowsOf(policyColumns)`
    select id, name, description, query, enforcement_level, source from ws_policies where id = ${id}`.execute(db);
  return rows[0];
}
