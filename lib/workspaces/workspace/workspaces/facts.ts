import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import type { ExecutionMode } from './settings/execution.ts';

/** What a document says of a workspace that other tables have. */
export interface Facts {
  readonly workspace_id: string;
  readonly tag_names: readonly string[];
  /** Of the project; null: what the organization says. */
  readonly project_mode: ExecutionMode | null;
  readonly project_pool: string | null;
  readonly project_auto_destroy: string | null;
  /** Of the client behind the token of its repository, by the names of the API. */
  readonly oauth_client: Readonly<Record<string, unknown>> | null;
  readonly retention_id: string | null;
  readonly retention_type: string | null;
  /** Of the current state, in their order. */
  readonly output_ids: readonly string[];
  readonly variable_ids: readonly string[];
  /** Whether its configuration has a README. */
  readonly has_readme: boolean;
}

/** The facts of workspaces, in one statement; no others than those asked for. */
export async function factsOf({ db }: Pick<Store, 'db'>, ids: readonly string[]): Promise<ReadonlyMap<string, Facts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Facts>`
    select w.id as workspace_id, ${tagNames} as tag_names, p.default_execution_mode as project_mode,
           p.default_agent_pool_id as project_pool, p.auto_destroy_activity_duration as project_auto_destroy,
           c.settings as oauth_client, r.id as retention_id, r.type as retention_type,
           ${outputIds} as output_ids, ${variableIds} as variable_ids, ${hasReadme} as has_readme
      from ws_workspaces w
      join ws_projects p on p.id = w.project_id
      left join ws_oauth_tokens o on o.id = w.oauth_token_id
      left join ws_oauth_clients c on c.id = o.client_id
      left join ws_retention_policies r on r.workspace_id = w.id
     where w.id = any((select ${ids}::text[])::text[])`.execute(db);
  return new Map(rows.map((row) => [row.workspace_id, row]));
}

/** In the order in which they were added. Each name is looked up by itself: a join would read all tags for each workspace. */
const tagNames: RawBuilder<unknown> = sql`array(
  select (select t.name from ws_tags t where t.id = b.tag_id) from ws_workspace_tags b
   where b.workspace_id = w.id order by b.position)`;

const outputIds: RawBuilder<unknown> = sql`array(
  select o.id from ws_state_outputs o where o.state_version_id = w.current_state_version_id order by o.position)`;
const variableIds: RawBuilder<unknown> = sql`array(
  select v.id from ws_variables v where v.workspace_id = w.id order by v.position)`;
const hasReadme: RawBuilder<unknown> = sql`exists (
  select 1 from ws_readmes m where m.configuration_version_id = w.current_configuration_version_id)`;
