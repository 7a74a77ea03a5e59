import { type QueryExecutorProvider, sql } from 'kysely';
import { forbidden, notFound, unprocessable } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { exceeds } from '../../access/exceeds.ts';
import type { Standing } from '../../access/standing.ts';
import { readTeams } from '../../access/team.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { type GrantLevels, type GrantRow, grantColumns } from './grant.ts';
import type { Body, Kind, Target } from './kinds.ts';
import { grantResource } from './read.ts';

const taken = { ws_grants_team_id_workspace_id_key: 'team', ws_grants_team_id_project_id_key: 'team' };

/** Grants a team access to a workspace or a project. */
export async function createGrant(
  { store }: WorkspaceParts,
  kind: Kind,
  target: Target,
  { levels, teamId }: { readonly levels: GrantLevels; readonly teamId: string },
): Promise<DocumentReply> {
  const [team] = await readTeams(store, target.standing, [teamId]);
  if (team === undefined) throw notFound();
  // Owners have all rights already.
  if (team.owners) throw unprocessable('The owners team has full access already.');
  const on = { workspace_id: null, project_id: null, [kind.column]: target.id };
  await mustHold(store.db, target.standing, { levels, on });
  const row = await withRefusals(taken, () => insert(store.db, { kind, levels, teamId: team.id, targetId: target.id }));
  return { status: 201, data: grantResource(kind, row) };
}

interface Making {
  readonly kind: Kind;
  readonly levels: GrantLevels;
  readonly teamId: string;
  readonly targetId: string;
}

async function insert(db: QueryExecutorProvider, { kind, levels, teamId, targetId }: Making): Promise<GrantRow> {
  const { rows } = await rowsOf(grantColumns)`
    insert into ws_grants (id, team_id, ${sql.ref(kind.column)}, access, runs, variables, state_versions, locking, run_tasks, admin,
                           creates, moves, project_admin, settings)
    values (${newId(kind.idPrefix)}, ${teamId}, ${targetId}, ${levels.access}, ${levels.runs}, ${levels.variables},
            ${levels.state_versions}, ${levels.locking}, ${levels.run_tasks}, ${levels.admin}, ${levels.creates}, ${levels.moves},
            ${levels.project_admin}, ${JSON.stringify(levels.settings)}) returning *`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a grant was not stored');
  return row;
}

/** Updates a grant. */
export async function updateGrant(
  { store }: WorkspaceParts,
  kind: Kind,
  target: Target,
  { id, body }: Body & { readonly id: string },
): Promise<DocumentReply> {
  const row = await store.transaction(async (tx) => {
    const { rows } = await rowsOf(grantColumns)`select * from ws_grants where id = ${id} for no key update`.execute(tx);
    const [old] = rows;
    if (old === undefined) throw notFound();
    const levels = kind.levels({ body }, old);
    await mustHold(tx, target.standing, { levels, on: old });
    return write(tx, id, levels);
  });
  return { data: grantResource(kind, row) };
}

async function write(tx: QueryExecutorProvider, id: string, levels: GrantLevels): Promise<GrantRow> {
  const { rows } = await rowsOf(grantColumns)`
    update ws_grants
       set access = ${levels.access}, runs = ${levels.runs}, variables = ${levels.variables},
           state_versions = ${levels.state_versions}, locking = ${levels.locking}, run_tasks = ${levels.run_tasks},
           admin = ${levels.admin}, creates = ${levels.creates}, moves = ${levels.moves},
           project_admin = ${levels.project_admin}, settings = ${JSON.stringify(levels.settings)}
     where id = ${id} returning *`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/**
 * Callers who manage the teams of a project need not have all rights on it, so they can only grant rights that they have. Checked
 * before the grant is stored, since the caller may be a member of the team.
 *
 * @throws ApiError 403
 */
async function mustHold(tx: QueryExecutorProvider, standing: Standing, given: Given): Promise<void> {
  const { levels, on } = given;
  const { rows } = await rowsOf({ more: bool })`
    select ${exceeds(standing)} as more from (
      select ${on.workspace_id}::text collate "C" as workspace_id, ${on.project_id}::text collate "C" as project_id,
             ${levels.runs}::int as runs, ${levels.variables}::int as variables, ${levels.state_versions}::int as state_versions,
             ${levels.locking}::boolean as locking, ${levels.run_tasks}::boolean as run_tasks, ${levels.admin}::boolean as admin,
             ${levels.creates}::boolean as creates, ${levels.moves}::boolean as moves,
             ${levels.project_admin}::boolean as project_admin, ${JSON.stringify(levels.settings)}::jsonb as settings) g`.execute(
    tx,
  );
  if (rows[0]?.more !== false)
    throw forbidden('You can give a team only rights that you have yourself: ask an owner of the organization');
}

interface Given {
  readonly levels: GrantLevels;
  readonly on: Pick<GrantRow, 'workspace_id' | 'project_id'>;
}

/** Revokes a grant. */
export async function removeGrant({ store }: WorkspaceParts, id: string): Promise<undefined> {
  await sql`delete from ws_grants where id = ${id}`.execute(store.db);
}
