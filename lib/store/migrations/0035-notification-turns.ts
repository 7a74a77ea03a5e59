import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Receivers of notifications take turns, within their organization and among organizations. Each has the time from which its next
 * message may be sent, a claim while a process sends to it, and a count of failures that lengthens its pauses.
 */
export async function notificationTurns(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table ws_notifications
     add column organization_id text collate "C",
     -- Null: nothing waits for it.
     add column next_at timestamptz,
     add column claimed_until timestamptz,
     add column failures integer not null default 0`,
  `update ws_notifications n set organization_id = w.organization_id from ws_workspaces w where w.id = n.workspace_id`,
  `update ws_notifications n set next_at = now()
    where exists (select 1 from ws_deliveries d where d.notification_id = n.id)`,
  `alter table ws_notifications
     alter column organization_id set not null,
     add foreign key (organization_id) references ws_organizations (id) on delete cascade`,
  'create index ws_notifications_next on ws_notifications (organization_id, next_at) where next_at is not null',
  'create index ws_notifications_claimed on ws_notifications (organization_id) where claimed_until is not null',
  // The row of the receiver determines when a message may be sent.
  'drop index ws_deliveries_due',
  'alter table ws_deliveries rename column due_at to made_at',
  'drop index ws_deliveries_notification',
  'create index ws_deliveries_notification on ws_deliveries (notification_id, id)',
  // The user of the root token has all rights anyway and is not a member of any organization.
  `delete from ws_team_members where user_id = 'user-root'`,
  `delete from ws_memberships where user_id = 'user-root'`,
];
