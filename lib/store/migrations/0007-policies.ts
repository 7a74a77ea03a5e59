import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Policies and password policies by name. The policy `default` has no row until it is changed. `revisions` counts the changes of
 * policies, so that a process notices that its compiled policies are out of date.
 */
export async function policies(tx: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(tx);
}

const named = (table: string): string => `create table ${table} (
  namespace_id text collate "C" not null default 'root',
  name text collate "C" not null,
  text text not null,
  updated_at timestamptz not null,
  primary key (namespace_id, name)
)`;

const statements = [named('policies'), named('password_policies'), `insert into revisions (name) values ('policies')`];
