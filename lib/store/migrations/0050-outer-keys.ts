import { type QueryExecutorProvider, sql } from 'kysely';

/** The seal can be a key of a key service; `key_id` names the key, and its version where the service reports it. */
export async function outerKeys(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table seal add column key_id text not null default '', drop constraint seal_type_check`,
  `alter table seal add constraint seal_type_check
     check (type in ('shamir', 'static', 'cloud-a-kms', 'cloud-b-keys', 'cloud-c-kms'))`,
];
