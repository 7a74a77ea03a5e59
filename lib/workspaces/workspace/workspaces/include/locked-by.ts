import { sql } from 'kysely';
import { readTeams } from '../../../people/teams/team.ts';
import { teamResource } from '../../../people/teams/view.ts';
import { type UserRow, userResource } from '../../../people/users/view.ts';
import { runResources } from './current-run.ts';
import { type Include, type Including, idsOf } from './including.ts';

/** Whoever holds the locks, as far as the caller may know of them: users, teams and runs, each kind in one statement. */
export const lockedBy: Include = async (including) => {
  const kinds = await Promise.all([users(including), teams(including), runs(including)]);
  return { resources: kinds.flat() };
};

async function users({ parts, found }: Including) {
  const ids = holders(found, 'users');
  const caller = found[0]?.standing.caller;
  if (caller === undefined || ids.length === 0) return [];
  const { rows } = await sql<UserRow>`
    select * from ws_users where id = any((select ${ids}::text[])::text[])`.execute(parts.store.db);
  return rows.map((user) => userResource(user, caller));
}

async function teams({ parts, found }: Including) {
  const ids = holders(found, 'teams');
  const standing = found[0]?.standing;
  if (standing === undefined || ids.length === 0) return [];
  return (await readTeams(parts.store, standing, ids)).map((team) => teamResource({ team, standing }));
}

const runs = (including: Including) => runResources(including, holders(including.found, 'runs'));

const holders = (found: Including['found'], kind: string): readonly string[] =>
  idsOf(found.map(({ workspace }) => (workspace.lock_kind === kind ? workspace.lock_holder : null)));
