import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Failed logins with unknown names are counted like others, in partitions of a mount that hold a fixed number of names each. Password
 * hashes record their cost. A login that waits for a code names its user or role, and ends when that is deleted or when its entity is
 * disabled, by whatever statement.
 */
export async function logins(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const endedWith = (table: string): string =>
  `create trigger ${table}_pending_logins after delete on ${table} referencing old table as gone
     for each statement execute function end_logins_of_removed()`;

const statements = [
  'alter table login_failures add column part smallint not null default 0',
  'create index login_failures_part on login_failures (mount_id, part, forget_at)',
  'alter table userpass_users add column cost smallint',
  'create index userpass_users_cost on userpass_users (mount_id, cost)',
  `alter table mfa_pending_logins add column principal text collate "C" not null default ''`,
  'drop index mfa_pending_logins_mount',
  'create index mfa_pending_logins_principal on mfa_pending_logins (mount_id, principal)',
  `create or replace function end_logins_of_removed() returns trigger language plpgsql as $$
   begin
     delete from mfa_pending_logins p using gone where p.mount_id = gone.mount_id and p.principal = gone.name;
     return null;
   end $$`,
  ...['userpass_users', 'approle_roles', 'auth_roles'].map(endedWith),
  `create or replace function end_logins_of_disabled() returns trigger language plpgsql as $$
   begin
     delete from mfa_pending_logins where entity_id = new.id;
     return null;
   end $$`,
  `create trigger entities_pending_logins after update of disabled on entities
     for each row when (new.disabled) execute function end_logins_of_disabled()`,
];
