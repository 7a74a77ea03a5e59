import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * The organization of each key-value tag, so that the lists of one organization do not scan the tags of all. A trigger fills it in,
 * because requests do not send it and it never changes. The workspaces of a project are counted from an index alone.
 */
export async function bindingOrganizations(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table ws_tag_bindings add column organization_id text collate "C"',
  `update ws_tag_bindings b set organization_id = coalesce(
     (select w.organization_id from ws_workspaces w where w.id = b.workspace_id),
     (select p.organization_id from ws_projects p where p.id = b.project_id))`,
  'alter table ws_tag_bindings alter column organization_id set not null',
  `create or replace function find_binding_organization() returns trigger language plpgsql as $$
   begin
     new.organization_id := coalesce(
       (select w.organization_id from ws_workspaces w where w.id = new.workspace_id),
       (select p.organization_id from ws_projects p where p.id = new.project_id));
     return new;
   end $$`,
  `create trigger ws_tag_bindings_organization before insert on ws_tag_bindings
     for each row execute function find_binding_organization()`,
  `create index ws_tag_bindings_of_workspaces on ws_tag_bindings (organization_id, key, value, workspace_id)
     where workspace_id is not null`,
  `create index ws_tag_bindings_of_projects on ws_tag_bindings (organization_id, key, value, project_id)
     where project_id is not null`,
  'drop index ws_tag_bindings_key',
  'create index ws_workspaces_of_project on ws_workspaces (project_id, organization_id)',
  'drop index ws_workspaces_project',
];
