import { type QueryExecutorProvider, sql } from 'kysely';
import type { JsonObject } from '../../../core/json.ts';
import { dataOf, relatedOne } from '../../../path/jsonapi/body.ts';
import { forbidden, notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { exceeds } from '../../access/exceeds.ts';
import type { Standing } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { readTeams } from '../teams/team.ts';
import type { GrantLevels, GrantRow } from './grant.ts';
import type { Kind } from './kinds.ts';
import { findGrant, grantResource } from './read.ts';

const taken = { ws_grants_team_id_workspace_id_key: 'team', ws_grants_team_id_project_id_key: 'team' };

/** Grants a team something on a workspace or a project. */
export async function createGrant({ store }: WorkspaceParts, call: ApiCall, kind: Kind): Promise<DocumentReply> {
  const data = dataOf(call, kind.type);
  const levels = kind.levels(call, undefined);
  const target = await kind.find(store, call.caller, relatedId(data, kind.relation));
  mustHave(target.manages);
  const [team] = await readTeams(store, target.standing, [relatedId(data, 'team')]);
  if (team === undefined) throw notFound();
  // Owners may everything as it is.
  if (team.owners) throw unprocessable('The owners team has full access already.');
  const on = { workspace_id: null, project_id: null, [kind.column]: target.id };
  await mustHold(store.db, target.standing, { levels, on });
  const row = await withRefusals(taken, () => insert(store.db, { kind, levels, teamId: team.id, targetId: target.id }));
  return { status: 201, data: grantResource(kind, row) };
}

/** @throws ApiError 422 where the document names none */
function relatedId(data: JsonObject, name: string): string {
  const one = relatedOne(data, name);
  if (one === undefined || one === null) throw unprocessable(`${name} must exist`);
  return one.id;
}

interface Making {
  readonly kind: Kind;
  readonly levels: GrantLevels;
  readonly teamId: string;
  readonly targetId: string;
}

async function insert(db: QueryExecutorProvider, { kind, levels, teamId, targetId }: Making): Promise<GrantRow> {
  const { rows } = await sql<GrantRow>`
    insert into ws_grants (id, team_id, ${sql.ref(kind.column)}, access, runs, variables, state_versions, locking, run_tasks, admin,
                           creates, moves, project_admin, settings)
    values (${newId(kind.idPrefix)}, ${teamId}, ${targetId}, ${levels.access}, ${levels.runs}, ${levels.variables},
            ${levels.state_versions}, ${levels.locking}, ${levels.run_tasks}, ${levels.admin}, ${levels.creates}, ${levels.moves},
            ${levels.project_admin}, ${JSON.stringify(levels.settings)}) returning *`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a grant was not stored');
  return row;
}

/** Changes what a team was granted. */
export async function updateGrant({ store }: WorkspaceParts, call: ApiCall, kind: Kind): Promise<DocumentReply> {
  const { grant, target } = await findGrant(store, call.caller, kind, call.parameters['grant_id'] ?? '');
  mustHave(target.manages);
  const row = await store.transaction(async (tx) => {
    const { rows } = await sql<GrantRow>`select * from ws_grants where id = ${grant.id} for no key update`.execute(tx);
    const [old] = rows;
    if (old === undefined) throw notFound();
    const levels = kind.levels(call, old);
    await mustHold(tx, target.standing, { levels, on: old });
    return write(tx, grant.id, levels);
  });
  return { data: grantResource(kind, row) };
}

async function write(tx: QueryExecutorProvider, id: string, levels: GrantLevels): Promise<GrantRow> {
  const { rows } = await sql<GrantRow>`
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
 * Who decides about the teams of a project need not have all of it. What is given is compared before it is stored: the manager may be
 * in that team.
 *
 * @throws ApiError 403
 */
async function mustHold(tx: QueryExecutorProvider, standing: Standing, given: Given): Promise<void> {
  const { levels, on } = given;
  const { rows } = await sql<{ more: boolean }>`
    select ${exceeds(standing)} as more from (
      select ${on.workspace_id}::text collate "C" as workspace_id, ${on.project_id}::text collate "C" as project_id,
             ${levels.runs}::int as runs, ${levels.variables}::int as variables, ${levels.state_versions}::int as state_versions,
             ${levels.locking}::boolean as locking, ${levels.run_tasks}::boolean as run_tasks, ${levels.admin}::boolean as admin,
             ${levels.creates}::boolean as creates, ${levels.moves}::boolean as moves,
             ${levels.project_admin}::boolean as project_admin, ${JSON.stringify(levels.settings)}::jsonb as settings) g`.execute(
    tx,
  );
  if (rows[0]?.more !== false)
    throw forbidden('A team can be given only what its manager has itself: ask an owner of the organization');
}

interface Given {
  readonly levels: GrantLevels;
  readonly on: Pick<GrantRow, 'workspace_id' | 'project_id'>;
}

/** Takes back what a team was granted. */
export async function removeGrant({ store }: WorkspaceParts, call: ApiCall, kind: Kind): Promise<undefined> {
  const { grant, target } = await findGrant(store, call.caller, kind, call.parameters['grant_id'] ?? '');
  mustHave(target.manages);
  await sql`delete from ws_grants where id = ${grant.id}`.execute(store.db);
}
