import { sql, type Transaction } from 'kysely';
import { forbidden, invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { pick } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { Standing } from '../../access/standing.ts';
import { type FoundTeam, findTeam, storedTeamColumns } from '../../access/team.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { type Changeable, changedBy, type SentTeam } from './change.ts';
import { teamResource } from './view.ts';

const taken = { ws_teams_name: 'name' };

/** Creates a team without members. */
export async function createTeam(store: Store, standing: Standing, sent: SentTeam): Promise<DocumentReply> {
  const columns = changedBy(sent, standing, { name: '', access: {}, visibility: 'secret', settings: {} });
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

async function insert(tx: Transaction<Database>, organizationId: string, columns: Changeable) {
  const { rows } = await rowsOf(storedTeamColumns)`
    insert into ws_teams (id, organization_id, name, access, visibility, settings)
    values (${newId('team')}, ${organizationId}, ${columns.name}, ${JSON.stringify(columns.access)}, ${columns.visibility},
            ${JSON.stringify(columns.settings)}) returning *`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('a team was not stored');
  return row;
}

/** Teams of one organization. */
const teamsMax = 5_000;

async function mustHaveRoom(tx: Transaction<Database>, organizationId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_teams where organization_id = ${organizationId} offset ${teamsMax - 1} limit 1`.execute(tx);
  if (rows.length > 0) throw unprocessable(`An organization may have at most ${teamsMax} teams.`);
}

/** Updates the attributes that were sent. The team of owners keeps its name and its rights. */
export async function updateTeam(store: Store, found: FoundTeam, sent: SentTeam): Promise<DocumentReply> {
  const { id, owners } = found.team;
  await withRefusals(taken, () =>
    store.transaction(async (tx) => {
      const old = await lock(tx, id);
      const columns = changedBy(sent, found.standing, old);
      const kept = owners ? { name: old.name, access: old.access, visibility: old.visibility } : {};
      if (owners && columns.name !== old.name) throw forbidden('The owners team keeps its name.');
      await write(tx, id, { ...columns, ...kept });
    }),
  );
  return { data: teamResource(await findTeam(store, found.standing.caller, id)) };
}

async function lock(tx: Transaction<Database>, id: string): Promise<Changeable> {
  const { rows } = await rowsOf(pick(storedTeamColumns, 'name', 'access', 'visibility', 'settings'))`
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

/** Deletes a team with its tokens and grants. */
export async function removeTeam({ db }: Store, found: FoundTeam): Promise<undefined> {
  if (found.team.owners) throw forbidden('The owners team cannot be deleted.');
  await sql`delete from ws_teams where id = ${found.team.id}`.execute(db);
}
