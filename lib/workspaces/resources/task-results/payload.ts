import { timeText } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, bytea, jsonObject, nullable, oneOf, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { planIdOf } from '../run-lifecycle/store.ts';
import { enforcementLevels, taskStages } from '../run-tasks/fields.ts';

const columns = {
  id: text,
  enforcement_level: oneOf(...enforcementLevels),
  stage: oneOf(...taskStages),
  task_id: text,
  url: text,
  hmac_key: nullable(bytea),
  origin: text,
  run_id: text,
  message: text,
  plan_only: bool,
  created_at: timestamptz,
  created_by: nullable(text),
  configuration_version_id: nullable(text),
  workspace_id: text,
  workspace_name: text,
  settings: jsonObject,
  organization_name: text,
  /** Of the commit that the configuration was made from. */
  branch: nullable(text),
  commit_url: nullable(text),
  pull_request_url: nullable(text),
  repository_url: nullable(text),
};

/** What the request about a result needs. */
export type Material = RowOf<typeof columns>;

/** Undefined when the task was deleted meanwhile. */
export async function materialOf({ db }: Pick<Store, 'db'>, resultId: string): Promise<Material | undefined> {
  const { rows } = await rowsOf(columns)`
    select t.id, t.enforcement_level, s.stage, k.id as task_id, k.url, k.hmac_key, k.origin, r.id as run_id, r.message, r.plan_only,
           r.created_at, r.configuration_version_id, w.id as workspace_id, w.name as workspace_name, w.settings,
           o.name as organization_name, i.attributes->>'branch' as branch,
           i.attributes->>'commit-url' as commit_url, i.attributes->>'pull-request-url' as pull_request_url,
           coalesce(rtrim(c.settings->>'http-url', '/') || '/' || (i.attributes->>'identifier'), i.attributes->>'clone-url') as repository_url,
           coalesce((select username from ws_users where id = r.created_by), (select name from ws_teams where id = r.created_by)) as created_by
      from ws_task_results t join ws_task_stages s on s.id = t.stage_id join ws_runs r on r.id = s.run_id
      join ws_workspaces w on w.id = r.workspace_id join ws_organizations o on o.id = w.organization_id
      join ws_organization_tasks k on k.id = t.task_id
      left join ws_ingresses i on i.configuration_version_id = r.configuration_version_id
      left join ws_oauth_tokens a on a.id = w.oauth_token_id left join ws_oauth_clients c on c.id = a.client_id
     where t.id = ${resultId}`.execute(db);
  return rows[0];
}

/** The request to the service of a task. Its token reads the plan and the configuration of the run. */
export function payloadOf(material: Material, token: string): object {
  const { id, stage, origin, run_id: runId, organization_name: organization, workspace_name: workspace } = material;
  const api = `${origin}/api/v2`;
  const page = `${origin}/app/${organization}/workspaces/${workspace}`;
  const folder = material.settings['working-directory'];
  return {
    payload_version: 1,
    stage,
    access_token: token,
    capabilities: { outcomes: false },
    configuration_version_download_url: `${api}/runs/${runId}/configuration-version/download`,
    configuration_version_id: material.configuration_version_id,
    is_speculative: material.plan_only,
    organization_name: organization,
    ...(stage === 'pre_plan' ? {} : { plan_json_api_url: `${api}/plans/${planIdOf(runId)}/json-output` }),
    run_app_url: `${page}/runs/${runId}`,
    run_created_at: timeText(material.created_at),
    run_created_by: material.created_by,
    run_id: runId,
    run_message: material.message,
    task_result_callback_url: `${api}/task-results/${id}/callback`,
    task_result_enforcement_level: material.enforcement_level,
    task_result_id: id,
    vcs_branch: material.branch,
    vcs_commit_url: material.commit_url,
    vcs_pull_request_url: material.pull_request_url,
    vcs_repo_url: material.repository_url,
    workspace_app_url: page,
    workspace_id: material.workspace_id,
    workspace_name: workspace,
    workspace_working_directory: typeof folder === 'string' ? folder : null,
  };
}
