import { type RawBuilder, sql } from 'kysely';

/** The condition that the policy set `s`, which has policies, applies to the workspace `w`. */
export const appliesTo: RawBuilder<unknown> = sql`
  s.organization_id = w.organization_id
  and (s.global
    or exists (select 1 from ws_policy_set_workspaces l where l.policy_set_id = s.id and l.workspace_id = w.id)
    or exists (select 1 from ws_policy_set_projects l where l.policy_set_id = s.id and l.project_id = w.project_id))
  and not exists (select 1 from ws_policy_set_exclusions l where l.policy_set_id = s.id and l.workspace_id = w.id)
  and exists (select 1 from ws_policy_set_policies l where l.policy_set_id = s.id)`;
