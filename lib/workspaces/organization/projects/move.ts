import { sql, type Transaction } from 'kysely';
import { identifiersOf } from '../../../path/jsonapi/body.ts';
import { forbidden, notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { findProject } from '../../access/project.ts';
import { isReadable } from '../../access/readable.ts';
import { grantsOfWorkspace, levelsEverywhere, type Standing } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';

/** Moves workspaces into a project, all or none. It takes the right to move them, in their projects and in this one. */
export async function moveWorkspaces({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { project, standing, levels } = await findProject(store, call.caller, call.parameters['project_id'] ?? '');
  const ids = [...new Set(identifiersOf(call, 'workspaces').map(({ id }) => id))];
  if (!levels.movesWorkspaces) throw forbidden('You may not move workspaces into this project.');
  await store.transaction(async (tx) => {
    await mustMove(tx, standing, ids);
    await sql`select 1 from ws_projects where id = ${project.id} for key share`.execute(tx);
    await sql`
      update ws_workspaces set project_id = ${project.id}, updated_at = now(), latest_change_at = now()
       where id = any((select ${ids}::text[])::text[]) and project_id <> ${project.id}`.execute(tx);
  });
}

/** @throws ApiError 404 when one of them is not there or not readable, 403 when one may not be moved */
async function mustMove(tx: Transaction<Database>, standing: Standing, ids: readonly string[]): Promise<void> {
  // In one order, so that two requests about the same ones wait for each other and do not collide.
  const { rows } = await sql<{ moves: boolean | null }>`
    select g.moves from ws_workspaces w left join lateral ${grantsOfWorkspace(standing)} g on true
     where w.id = any((select ${ids}::text[])::text[]) and w.organization_id = ${standing.organization.id}
       and ${isReadable(standing)}
     order by w.id for no key update of w`.execute(tx);
  if (rows.length < ids.length) throw notFound();
  if (!levelsEverywhere(standing).moves && rows.some(({ moves }) => moves !== true))
    throw forbidden('You may not move one of these workspaces.');
}
