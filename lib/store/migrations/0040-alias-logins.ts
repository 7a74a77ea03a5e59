import { type QueryExecutorProvider, sql } from 'kysely';

/** When the alias behind a login that waits for a code is deleted, this login and the others of the same entity end. */
export async function aliasLogins(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create or replace function end_logins_of_aliases() returns trigger language plpgsql as $$
   begin
     delete from mfa_pending_logins p using gone where p.entity_id = gone.entity_id;
     return null;
   end $$`,
  `create trigger entity_aliases_pending_logins after delete on entity_aliases referencing old table as gone
     for each statement execute function end_logins_of_aliases()`,
];
