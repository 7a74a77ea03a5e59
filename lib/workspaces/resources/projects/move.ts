import { sql, type Transaction } from 'kysely';
import { forbidden, notFound } from '#path/jsonapi/error.ts';
import { bool, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { FoundProject } from '../../access/project.ts';
import { isReadable } from '../../access/readable.ts';
import { grantsOfWorkspace, levelsEverywhere, type Standing } from '../../access/standing.ts';
import { reschedule } from '../auto-destroy/schedule.ts';

/** Moves all given workspaces into a project, or none. The caller needs the right to move workspaces in both projects. */
export async function moveWorkspaces(
  store: Store,
  { project, standing }: FoundProject,
  workspaceIds: readonly string[],
): Promise<undefined> {
  const ids = [...new Set(workspaceIds)];
  await store.transaction(async (tx) => {
    await mustMove(tx, standing, ids);
    await sql`select 1 from ws_projects where id = ${project.id} for key share`.execute(tx);
    await sql`
      update ws_workspaces set project_id = ${project.id}, updated_at = now(), latest_change_at = now()
       where id = any((select ${ids}::text[])::text[]) and project_id <> ${project.id}`.execute(tx);
    await reschedule(tx, sql`w.id = any((select ${ids}::text[])::text[])`);
  });
}

/** @throws ApiError 404 when a workspace does not exist or is not readable, 403 when the caller may not move it */
async function mustMove(tx: Transaction<Database>, standing: Standing, ids: readonly string[]): Promise<void> {
  // In a fixed order, so that two requests for the same workspaces wait for each other instead of deadlocking.
  const { rows } = await rowsOf({ moves: nullable(bool) })`
    select g.moves from ws_workspaces w left join lateral ${grantsOfWorkspace(standing)} g on true
     where w.id = any((select ${ids}::text[])::text[]) and w.organization_id = ${standing.organization.id}
       and ${isReadable(standing)}
     order by w.id for no key update of w`.execute(tx);
  if (rows.length < ids.length) throw notFound();
  if (!levelsEverywhere(standing).moves && rows.some(({ moves }) => moves !== true))
    throw forbidden('You may not move one of these workspaces.');
}
