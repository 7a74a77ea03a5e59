import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Policies, the sets that apply them to workspaces, and their evaluations. An evaluation belongs to a stage of a run and is made by a process that
 * claims it; its outcomes, one for each policy set, are kept as they were then.
 */
export async function policySets(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const id = `id text collate "C" primary key`;
const created = 'created_at timestamptz not null default now()';
const updated = 'updated_at timestamptz not null default now()';
const organization = `organization_id text collate "C" not null references ws_organizations (id) on delete cascade`;
const set = 'policy_set_id text collate "C" not null references ws_policy_sets (id) on delete cascade';

const link = (table: string, column: string, of: string): readonly string[] => [
  `create table ${table} (
     ${set},
     ${column} text collate "C" not null references ${of} (id) on delete cascade,
     primary key (policy_set_id, ${column})
   )`,
  `create index ${table}_of on ${table} (${column})`,
];

const statements = [
  `create table ws_policies (
     ${id},
     ${organization},
     name text not null,
     description text,
     query text not null,
     enforcement_level text not null check (enforcement_level in ('advisory', 'mandatory')),
     source text,
     ${created},
     ${updated},
     unique (organization_id, name)
   )`,
  `create table ws_policy_sets (
     ${id},
     ${organization},
     name text not null,
     description text,
     global boolean not null default false,
     overridable boolean not null default false,
     ${created},
     ${updated},
     unique (organization_id, name)
   )`,
  ...link('ws_policy_set_policies', 'policy_id', 'ws_policies'),
  ...link('ws_policy_set_workspaces', 'workspace_id', 'ws_workspaces'),
  ...link('ws_policy_set_exclusions', 'workspace_id', 'ws_workspaces'),
  ...link('ws_policy_set_projects', 'project_id', 'ws_projects'),
  `create table ws_policy_evaluations (
     ${id},
     stage_id text collate "C" not null unique references ws_task_stages (id) on delete cascade,
     ${organization},
     status text not null default 'pending',
     overridable boolean not null default false,
     counts jsonb not null default '{}',
     tool_version text,
     timestamps jsonb not null default '{}',
     attempts integer not null default 0,
     -- When it is to be made; null: it has ended.
     next_at timestamptz,
     claimed_until timestamptz,
     ${created},
     ${updated}
   )`,
  'create index ws_policy_evaluations_organization on ws_policy_evaluations (organization_id)',
  'create index ws_policy_evaluations_next on ws_policy_evaluations (organization_id, next_at) where next_at is not null',
  'create index ws_policy_evaluations_claimed on ws_policy_evaluations (organization_id) where claimed_until is not null',
  `create table ws_policy_outcomes (
     ${id},
     evaluation_id text collate "C" not null references ws_policy_evaluations (id) on delete cascade,
     position integer not null,
     policy_set_name text not null,
     policy_set_description text,
     overridable boolean not null,
     outcomes jsonb not null,
     counts jsonb not null,
     error text not null default '',
     unique (evaluation_id, position)
   )`,
];
