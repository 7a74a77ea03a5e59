import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * The sealed recovery key of the automatic seal and its share rule. `seals` counts how often the installation was sealed by request: a
 * process that was unsealed at another count seals itself.
 */
export async function recoveryKeys(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table seal add column recovery_shares integer not null default 0,
     add column recovery_threshold integer not null default 0,
     add column recovery_key bytea,
     add column seals integer not null default 0`,
  'alter table key_attempts drop constraint key_attempts_kind_check',
  `alter table key_attempts add constraint key_attempts_kind_check check (kind in ('rekey', 'recovery-rekey', 'root-token'))`,
];
