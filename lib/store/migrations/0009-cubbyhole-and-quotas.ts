import { type QueryExecutorProvider, sql } from 'kysely';

/** Foreign keys delete the data of a token together with the token. */
export async function cubbyholeAndQuotas(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table cubbyhole (
     token_hash bytea not null references tokens (hash) on delete cascade,
     path text collate "C" not null,
     data bytea not null,
     primary key (token_hash, path)
   )`,
  `create table wrapped_replies (
     token_hash bytea primary key references tokens (hash) on delete cascade,
     reply bytea not null
   )`,
  `create table settings (
     name text primary key,
     value jsonb not null
   )`,
  `create table quotas (
     namespace_id text not null default 'root',
     kind text not null,
     name text collate "C" not null,
     quota jsonb not null,
     primary key (namespace_id, kind, name)
   )`,
];
