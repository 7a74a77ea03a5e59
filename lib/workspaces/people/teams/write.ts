import { sql, type Transaction } from 'kysely';
import { forbidden, invalidAttribute, notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { standingIn } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { type Changeable, changedBy } from './change.ts';
import { findTeam, type TeamRow, teamRights } from './team.ts';
import { teamResource } from './view.ts';

const taken = { ws_teams_name: 'name' };

/** Makes a team that nobody is in. */
export async function createTeam({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const standing = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  mustHave(standing.may('manage-teams'));
  const columns = changedBy(call, standing, { name: '', access: {}, visibility: 'secret', settings: {} });
  if (columns.name === '') throw invalidAttribute('name', "Name can't be blank");
  const { id: organizationId } = standing.organization;
  const made = await withRefusals(taken, () =>
    store.transaction(async (tx) => {
      await mustHaveRoom(tx, organizationId);
      return insert(tx, organizationId, columns);
    }),
  );
  return { data: teamResource({ team: { ...made, user_ids: [], membership_ids: [], exceeds: false }, standing }) };
}

async function insert(tx: Transaction<Database>, organizationId: string, columns: Changeable): Promise<TeamRow> {
  const { rows } = await sql<TeamRow>`
    insert into ws_teams (id, organization_id, name, access, visibility, settings)
    values (${newId('team')}, ${organizationId}, ${columns.name}, ${JSON.stringify(columns.access)}, ${columns.visibility},
            ${JSON.stringify(columns.settings)}) returning *`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('a team was not made');
  return row;
}

/** Of one organization. */
const teamsMax = 5_000;

async function mustHaveRoom(tx: Transaction<Database>, organizationId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_teams where organization_id = ${organizationId} offset ${teamsMax - 1} limit 1`.execute(tx);
  if (rows.length > 0) throw unprocessable(`An organization may have at most ${teamsMax} teams.`);
}

/** Changes a team; what was not sent stays. The team of owners keeps its name and what it may do. */
export async function updateTeam({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const found = await findTeam(store, call.caller, call.parameters['team_id'] ?? '');
  mustHave(teamRights(found).manages);
  const { id, owners } = found.team;
  await withRefusals(taken, () =>
    store.transaction(async (tx) => {
      const old = await lock(tx, id);
      const columns = changedBy(call, found.standing, old);
      const kept = owners ? { name: old.name, access: old.access, visibility: old.visibility } : {};
      if (owners && columns.name !== old.name) throw forbidden('The owners team keeps its name.');
      await write(tx, id, { ...columns, ...kept });
    }),
  );
  return { data: teamResource(await findTeam(store, call.caller, id)) };
}

async function lock(tx: Transaction<Database>, id: string): Promise<Changeable> {
  const { rows } = await sql<Changeable>`
    select name, access, visibility, settings from ws_teams where id = ${id} for no key update`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

const write = (tx: Transaction<Database>, id: string, columns: Changeable) =>
  sql`
    update ws_teams
       set name = ${columns.name}, access = ${JSON.stringify(columns.access)}, visibility = ${columns.visibility},
           settings = ${JSON.stringify(columns.settings)}
     where id = ${id}`.execute(tx);

/** Removes a team with its tokens and what was granted to it. */
export async function removeTeam({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const found = await findTeam(store, call.caller, call.parameters['team_id'] ?? '');
  mustHave(teamRights(found).manages);
  if (found.team.owners) throw forbidden('The owners team cannot be deleted.');
  await sql`delete from ws_teams where id = ${found.team.id}`.execute(store.db);
}
