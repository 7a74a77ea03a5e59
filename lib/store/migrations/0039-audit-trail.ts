import { type QueryExecutorProvider, sql } from 'kysely';

/** Changes in an organization and who made them. */
export async function auditTrail(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table ws_audit_events (
     id uuid primary key default gen_random_uuid(),
     organization_id text collate "C" not null references ws_organizations (id) on delete cascade,
     made_at timestamptz not null default clock_timestamp(),
     actor_id text collate "C" not null,
     actor_name text collate "C" not null,
     request_id text collate "C" not null,
     resource_id text collate "C" not null,
     resource_type text collate "C" not null,
     action text collate "C" not null
   )`,
  'create index ws_audit_events_newest on ws_audit_events (organization_id, made_at desc, id)',
  'create index ws_audit_events_age on ws_audit_events (made_at)',
];
