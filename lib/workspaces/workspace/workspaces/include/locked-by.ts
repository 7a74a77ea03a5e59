import { sql } from 'kysely';
import type { Include, Including } from './including.ts';

/** Whoever holds the locks: users and teams; runs are for `current_run`. */
export const lockedBy: Include = async ({ parts, found }) => {
  const users = holders(found, 'users');
  const teams = holders(found, 'teams');
  const { rows } = await sql<{ id: string; type: string; name: string }>`
    select id, 'users' as type, username as name from ws_users where id = any((select ${users}::text[])::text[])
    union all
    select id, 'teams', name from ws_teams where id = any((select ${teams}::text[])::text[])`.execute(parts.store.db);
  const resources = rows.map(({ id, type, name }) => ({
    ...{ id, type, attributes: type === 'users' ? { username: name } : { name } },
    links: { self: `/api/v2/${type}/${id}` },
  }));
  return { resources };
};

const holders = (found: Including['found'], kind: string): readonly string[] =>
  found.flatMap(({ workspace }) =>
    workspace.lock_kind === kind && workspace.lock_holder !== null ? [workspace.lock_holder] : [],
  );
