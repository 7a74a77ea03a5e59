import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Members of the organization that a notification configuration sends e-mail to, as long as they are members; and the addresses to which
 * a pending message has already been sent or can no longer be sent.
 */
export async function notificationUsers(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table ws_notification_users (
     notification_id text collate "C" not null references ws_notifications (id) on delete cascade,
     organization_id text collate "C" not null,
     user_id text collate "C" not null,
     primary key (notification_id, user_id),
     foreign key (organization_id, user_id) references ws_memberships (organization_id, user_id) on delete cascade
   )`,
  'create index ws_notification_users_member on ws_notification_users (organization_id, user_id)',
  `alter table ws_deliveries add column settled text[] not null default '{}'`,
];
