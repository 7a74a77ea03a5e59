import { type QueryExecutorProvider, sql } from 'kysely';
import { buildIndex } from './concurrent-index.ts';

/**
 * Token roles, the mark on tokens that are being revoked, and indexes that find tokens by this mark and by the path of their leases.
 * A release that does not know the mark treats a token as valid until its row is deleted. Each statement may run again.
 */
export async function tokenRolesAndLeases(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
  for (const index of indexes) await buildIndex(db, index);
}

const statements = [
  'alter table tokens add column if not exists revoked_at timestamptz',
  `create table if not exists token_roles (
     namespace_id text collate "C" not null default 'root',
     name text collate "C" not null,
     settings jsonb not null,
     updated_at timestamptz not null,
     primary key (namespace_id, name)
   )`,
  `create table if not exists token_tidy (
     namespace_id text collate "C" primary key default 'root',
     run uuid not null,
     held_until timestamptz not null
   )`,
];

const indexes = [
  { name: 'tokens_revoked', on: 'tokens (revoked_at) where revoked_at is not null' },
  { name: 'tokens_used_up', on: 'tokens (hash) where num_uses < 0' },
  { name: 'tokens_lease', on: `tokens ((path || '/') collate "C", hash) where expire_at is not null` },
];
