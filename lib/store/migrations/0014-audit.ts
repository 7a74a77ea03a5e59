import { type QueryExecutorProvider, sql } from 'kysely';

/** Audit devices and the request headers that they record. `revisions` counts the changes of both. */
export async function audit(tx: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(tx);
}

const statements = [
  `create table audit_devices (
     id uuid primary key,
     path text collate "C" not null unique,
     type text not null,
     description text not null,
     local boolean not null,
     settings bytea not null
   )`,
  `create table audit_headers (
     name text collate "C" primary key,
     hmac boolean not null
   )`,
  `insert into revisions (name) values ('audit')`,
];
