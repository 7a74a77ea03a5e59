import { rowsOf } from '#store/sql/rows.ts';
import { wsUsersTable } from '#store/tables/organizations.ts';
import { readTeams } from '../../access/team.ts';
import { teamResource } from '../teams/view.ts';
import { userResource } from '../users/view.ts';
import { runResources } from './current.ts';
import { type Include, type Including, idsOf } from './including.ts';

/** The holders of the locks, as far as they are visible to the caller: users, teams and runs, each kind in one statement. */
export const lockedBy: Include = async (including) => {
  const kinds = await Promise.all([users(including), teams(including), runs(including)]);
  return { resources: kinds.flat() };
};

async function users({ parts, found }: Including) {
  const ids = holders(found, 'users');
  const caller = found[0]?.standing.caller;
  if (caller === undefined || ids.length === 0) return [];
  const { rows } = await rowsOf(wsUsersTable)`
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
