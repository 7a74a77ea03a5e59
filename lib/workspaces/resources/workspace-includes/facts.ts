import { type RawBuilder, sql } from 'kysely';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, bool, int, jsonObject, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { executionMode } from '../../access/standing.ts';
import { lastAssessment } from '../assessments/store.ts';

/** Data in the document of a workspace that comes from other tables. */
export type Facts = RowOf<typeof factColumns>;

export const factColumns = {
  workspace_id: text,
  tag_names: arrayOf(text),
  /** The setting of the project; null means that of the organization. */
  project_mode: nullable(executionMode),
  project_pool: nullable(text),
  project_auto_destroy: nullable(text),
  /** The last finished assessment. */
  assessment_id: nullable(text),
  assessed_at: nullable(timestamptz),
  /** How its last scheduled destruction ended, or that it goes on; null without one. */
  auto_destroy_status: nullable(text),
  /** Settings of the OAuth client of its repository, by their API names. */
  oauth_client: nullable(jsonObject),
  /** The client with a webhook. */
  webhook_client_id: nullable(text),
  retention_id: nullable(text),
  retention_type: nullable(text),
  /** The policy that applies: its own, or that of its organization. Without days it keeps everything. */
  retention_of: nullable(text),
  retention_days: nullable(int),
  /** Outputs of the current state in their order. */
  output_ids: arrayOf(text),
  variable_ids: arrayOf(text),
  /** Whether its current configuration has a README. */
  has_readme: bool,
};

/** Reads the facts of workspaces in one statement. */
export async function factsOf({ db }: Pick<Store, 'db'>, ids: readonly string[]): Promise<ReadonlyMap<string, Facts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await rowsOf(factColumns)`
    select w.id as workspace_id, ${tagNames} as tag_names, p.default_execution_mode as project_mode,
           p.default_agent_pool_id as project_pool, p.auto_destroy_activity_duration as project_auto_destroy,
           c.settings as oauth_client,
           case when c.webhook_secret is not null then c.id end as webhook_client_id, r.id as retention_id, r.type as retention_type,
           coalesce(r.id, d.id) as retention_of, case when r.id is null then d.days else r.days end as retention_days,
           ${outputIds} as output_ids, ${variableIds} as variable_ids, ${hasReadme} as has_readme,
           ${autoDestroyStatus} as auto_destroy_status, a.id as assessment_id, a.created_at as assessed_at
      from ws_workspaces w
      join ws_projects p on p.id = w.project_id
      left join ws_oauth_tokens o on o.id = w.oauth_token_id
      left join ws_oauth_clients c on c.id = o.client_id
      left join ws_assessments a on a.id = ${lastAssessment}
      left join ws_retention_policies r on r.workspace_id = w.id
      left join ws_retention_policies d on d.organization_id = w.organization_id
     where w.id = any((select ${ids}::text[])::text[])`.execute(db);
  return new Map(rows.map((row) => [row.workspace_id, row]));
}

/** In the order of their creation. Names are looked up one by one, since a join would read all tags for each workspace. */
const tagNames: RawBuilder<unknown> = sql`array(
  select (select t.name from ws_tags t where t.id = b.tag_id) from ws_workspace_tags b
   where b.workspace_id = w.id order by b.position)`;

const outputIds: RawBuilder<unknown> = sql`array(
  select o.id from ws_state_outputs o where o.state_version_id = w.current_state_version_id order by o.position)`;
const variableIds: RawBuilder<unknown> = sql`array(
  select v.id from ws_variables v where v.workspace_id = w.id order by v.position)`;
const hasReadme: RawBuilder<unknown> = sql`exists (
  select 1 from ws_readmes m where m.configuration_version_id = w.current_configuration_version_id)`;
const autoDestroyStatus: RawBuilder<unknown> = sql`(
  select case when d.failure is not null then 'errored'
              when r.status in ('applied', 'planned_and_finished') then 'finished'
              when r.status in ('errored', 'canceled', 'discarded') then 'errored'
              when r.id is not null then 'queued' end
    from ws_auto_destroys d left join ws_runs r on r.id = d.run_id where d.workspace_id = w.id)`;
