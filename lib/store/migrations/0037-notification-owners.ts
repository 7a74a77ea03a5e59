import { type QueryExecutorProvider, sql } from 'kysely';

/** Notification configurations of projects and teams, in addition to those of workspaces. */
export async function notificationOwners(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table ws_notifications
     alter column workspace_id drop not null,
     add column project_id text collate "C" references ws_projects (id) on delete cascade,
     add column team_id text collate "C" references ws_teams (id) on delete cascade,
     add check (num_nonnulls(workspace_id, project_id, team_id) = 1)`,
  'create index ws_notifications_project on ws_notifications (project_id) where project_id is not null',
  'create index ws_notifications_team on ws_notifications (team_id) where team_id is not null',
];
