import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';

type Query = (id: string) => RawBuilder<unknown>;
type Queries = Readonly<Record<string, Query>>;

const column =
  (name: string, table: string): Query =>
  (id) =>
    sql`(select ${sql.ref(name)} from ${sql.table(table)} where id = ${id})`;

/** The id of the workspace that the parameter of a path leads to. Plans and applies are named after their run. */
export const workspaceBy: Queries = {
  workspace_id: (id) => sql`${id}`,
  run_id: (id) => sql`(select workspace_id from ws_runs where id = ${id} and not assessment)`,
  plan_id: (id) => ofRun(id, /^plan-/),
  apply_id: (id) => ofRun(id, /^apply-/),
  assessment_result_id: column('workspace_id', 'ws_assessments'),
  comment_id: (id) =>
    sql`(select r.workspace_id from ws_run_comments c join ws_runs r on r.id = c.run_id where c.id = ${id})`,
  configuration_version_id: column('workspace_id', 'ws_configuration_versions'),
  state_version_id: column('workspace_id', 'ws_state_versions'),
  output_id: (id) => sql`(
    select s.workspace_id from ws_state_outputs o join ws_state_versions s on s.id = o.state_version_id where o.id = ${id})`,
  run_trigger_id: column('workspace_id', 'ws_run_triggers'),
  variable_id: column('workspace_id', 'ws_variables'),
  grant_id: column('workspace_id', 'ws_grants'),
  task_stage_id: (id) => sql`(
    select r.workspace_id from ws_task_stages s join ws_runs r on r.id = s.run_id where s.id = ${id})`,
  policy_evaluation_id: (id) => sql`(
    select r.workspace_id from ws_policy_evaluations e join ws_task_stages s on s.id = e.stage_id
      join ws_runs r on r.id = s.run_id where e.id = ${id})`,
  policy_set_outcome_id: (id) => sql`(
    select r.workspace_id from ws_policy_outcomes u join ws_policy_evaluations e on e.id = u.evaluation_id
      join ws_task_stages s on s.id = e.stage_id join ws_runs r on r.id = s.run_id where u.id = ${id})`,
  task_result_id: (id) => sql`(
    select r.workspace_id from ws_task_results t join ws_task_stages s on s.id = t.stage_id
      join ws_runs r on r.id = s.run_id where t.id = ${id})`,
};

function ofRun(id: string, prefix: RegExp): RawBuilder<unknown> {
  if (!prefix.test(id)) throw notFound();
  return sql`(select workspace_id from ws_runs where id = ${id.replace(prefix, 'run-')} and not assessment)`;
}

/** The id of the project. */
export const projectBy: Queries = {
  project_id: (id) => sql`${id}`,
  grant_id: column('project_id', 'ws_grants'),
};

/** The id of the organization. */
export const organizationBy: Queries = {
  project_id: column('organization_id', 'ws_projects'),
  agent_pool_id: column('organization_id', 'ws_agent_pools'),
  agent_id: (id) => sql`(
    select p.organization_id from ws_agents a join ws_agent_pools p on p.id = a.agent_pool_id where a.id = ${id})`,
  oauth_client_id: column('organization_id', 'ws_oauth_clients'),
  oauth_token_id: (id) => sql`(
    select c.organization_id from ws_oauth_tokens t join ws_oauth_clients c on c.id = t.client_id where t.id = ${id})`,
  policy_id: column('organization_id', 'ws_policies'),
  policy_set_id: column('organization_id', 'ws_policy_sets'),
  reserved_tag_key_id: column('organization_id', 'ws_reserved_tag_keys'),
  ssh_key_id: column('organization_id', 'ws_ssh_keys'),
  tag_id: column('organization_id', 'ws_tags'),
  task_id: column('organization_id', 'ws_organization_tasks'),
};

/**
 * The query for what a path leads to, by the first of its parameters that leads to one.
 *
 * @throws Error when none does (a programming error)
 */
export function ledTo(queries: Queries, parameters: Readonly<Record<string, string>>): RawBuilder<unknown> {
  for (const [name, value] of Object.entries(parameters)) {
    const query = Object.hasOwn(queries, name) ? queries[name] : undefined;
    if (query !== undefined) return query(value);
  }
  throw new Error(`no parameter leads to what the row needs: ${Object.keys(parameters).join(', ')}`);
}
