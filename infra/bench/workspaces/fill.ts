import { Secret } from '#core/secret.ts';
import { hashOf } from '#workspaces/resources/authentication-tokens/text.ts';
import type { Stage } from '../stage.ts';

export const organizationName = 'bench';
/** The id of a workspace whose state all others may read. */
export const sharedId = 'ws-1';

const token = new Secret('bench.keyferryv1.reader');

/**
 * One organization with `count` workspaces in ten projects, 1,000 tags of which each workspace has three, and a binding each. The
 * reader is a user of two teams: one with `plan` on half of the projects, the other with `write` on a hundred other workspaces.
 * Returns the user's token.
 */
export async function fillWorkspaces({ database, api }: Stage, count: number): Promise<string> {
  for (const statement of statements) {
    const parameters = ['$1', '$2'].filter((one) => statement.includes(one)).length;
    await database.query(statement, [count, hashOf(api.store, token)].slice(0, parameters));
  }
  return token.reveal();
}

const levels = 'access, runs, variables, state_versions, locking, run_tasks, admin';

const statements = [
  `with organization as (
     insert into ws_organizations (id, name, email, default_project_id) values ('org-bench', '${organizationName}', 'a@b.test', 'prj-0')
   ) insert into ws_projects (id, organization_id, name) select 'prj-' || n, 'org-bench', 'project ' || n from generate_series(0, 9) n`,
  `insert into ws_users (id, username) values ('user-bench', 'bench')`,
  `insert into ws_memberships (id, organization_id, user_id, status) values ('ou-bench', 'org-bench', 'user-bench', 'active')`,
  `insert into ws_teams (id, organization_id, name) select 'team-' || n, 'org-bench', 'team ' || n from generate_series(0, 1) n`,
  `insert into ws_team_members select 'team-' || n, 'user-bench' from generate_series(0, 1) n`,
  `insert into ws_workspaces (id, organization_id, project_id, name, engine_version)
   select 'ws-' || n, 'org-bench', 'prj-' || n % 10, 'workspace-' || n, '1.11.4' from generate_series(0, $1::int - 1) n`,
  `update ws_workspaces set global_remote_state = true where id = '${sharedId}'`,
  `insert into ws_tags (id, organization_id, name) select 'tag-' || n, 'org-bench', 'tag-' || n from generate_series(0, 999) n`,
  `insert into ws_workspace_tags (workspace_id, tag_id)
   select 'ws-' || n, 'tag-' || (n * 7 + k * 331) % 1000 from generate_series(0, $1::int - 1) n, generate_series(0, 2) k`,
  `insert into ws_tag_bindings (id, workspace_id, key, value)
   select 'tb-' || n, 'ws-' || n, 'env', case n % 3 when 0 then 'prod' else 'dev' end from generate_series(0, $1::int - 1) n`,
  `insert into ws_grants (id, team_id, project_id, ${levels})
   select 'tprj-' || n, 'team-0', 'prj-' || n, 'plan', 2, 1, 2, false, false, false from generate_series(0, 4) n`,
  `insert into ws_grants (id, team_id, workspace_id, ${levels})
   select 'tws-' || n, 'team-1', 'ws-' || n * 10 + 7, 'write', 3, 2, 3, true, false, false from generate_series(0, least(99, $1::int / 10 - 1)) n`,
  `insert into ws_tokens (id, hash, user_id) select 'at-bench', $2::bytea, 'user-bench' where $1::int > 0`,
  'vacuum analyze',
];
