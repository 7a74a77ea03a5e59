import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Prevents writes for a namespace that does not exist or is being deleted, even if the writer saw it earlier: a trigger on each table
 * locks the row of the namespace, as a foreign key would. The root has no such row. Rows that earlier releases left behind for deleted
 * namespaces are removed here. `tokens.login_role` is the role of the auth method that a token was made for.
 */
export async function namespaceFence(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Data of a mount or a destination is deleted with it, and these are never left behind. */
const withNothingBelow = [
  'policies',
  'password_policies',
  'token_roles',
  'token_tidy',
  'mfa_enforcements',
  'mfa_methods',
];
const ofIdentity = ['entity_aliases', 'group_aliases', 'identity_groups', 'entities'];
const owned = ['tokens', ...withNothingBelow, ...ofIdentity];
const fenced = [...owned, 'mounts', 'mount_moves', 'destinations', 'repo_host_apps', 'login_failures', 'quotas'];

const statements = [
  `alter table tokens add column login_role text collate "C" not null default ''`,
  `create or replace function must_be_in_namespace() returns trigger language plpgsql as $$
   begin
     perform 1 from namespaces where id = new.namespace_id and deleted_at is null for key share;
     if not found then raise exception 'there is no such namespace' using errcode = 'KF404'; end if;
     return new;
   end $$`,
  ...fenced.map(
    (table) => `create trigger ${table}_in_namespace before insert on ${table}
      for each row when (new.namespace_id <> 'root') execute function must_be_in_namespace()`,
  ),
  ...owned.map(
    (table) => `delete from ${table} o where o.namespace_id <> 'root'
      and not exists (select 1 from namespaces n where n.id = o.namespace_id)`,
  ),
];
