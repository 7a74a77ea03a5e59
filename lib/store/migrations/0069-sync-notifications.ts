import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Events of the sync, what was last told of each destination, and the webhooks that tell it. An event, the deliveries of it and the state
 * that was told commit together, so nothing is told twice or forgotten.
 */
export async function syncNotifications(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const fence = (table: string) =>
  `create trigger ${table}_in_namespace before insert on ${table}
     for each row when (new.namespace_id <> 'root') execute function must_be_in_namespace()`;

const statements = [
  `create table sync_events (
     namespace_id text collate "C" not null,
     id bigint generated always as identity,
     occurred_at timestamptz not null default now(),
     kind text not null,
     type text,
     name text,
     batch_id uuid,
     details jsonb not null,
     primary key (namespace_id, id)
   )`,
  fence('sync_events'),
  'create index sync_events_occurred on sync_events (occurred_at)',
  'create unique index sync_events_batch on sync_events (batch_id) where batch_id is not null',
  `create table sync_told (
     destination_id bigint primary key references destinations (id) on delete cascade,
     failing_since timestamptz,
     counted_at timestamptz,
     failed int not null default 0,
     kinds text[] not null default '{}',
     circuit_open boolean not null default false,
     circuit_told_at timestamptz
   )`,
  `create table sync_notifications (
     id uuid primary key,
     namespace_id text collate "C" not null,
     name text collate "C" not null,
     target bytea not null,
     kinds text[] not null,
     destinations text[] not null,
     disabled boolean not null default false,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     turn_at timestamptz,
     paused_until timestamptz,
     claimed_until timestamptz,
     failures int not null default 0,
     last_success_at timestamptz,
     last_error_at timestamptz,
     last_error text,
     unique (namespace_id, name)
   )`,
  fence('sync_notifications'),
  'create index sync_notifications_turn on sync_notifications (namespace_id, turn_at) where turn_at is not null',
  `create table sync_deliveries (
     id uuid primary key,
     n bigint generated always as identity,
     notification_id uuid not null references sync_notifications (id) on delete cascade,
     event_id bigint not null,
     kind text not null,
     type text,
     name text,
     body text not null,
     state text not null default 'waiting',
     attempts int not null default 0,
     created_at timestamptz not null default now(),
     queued_at timestamptz not null default now(),
     next_at timestamptz not null,
     attempted_at timestamptz,
     status int,
     error text
   )`,
  'create index sync_deliveries_page on sync_deliveries (notification_id, n)',
  `create index sync_deliveries_waiting on sync_deliveries (notification_id, next_at) where state = 'waiting'`,
  'create index sync_deliveries_queued on sync_deliveries (queued_at)',
];
