import { notFound } from '#path/jsonapi/error.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { wsNotificationsTable } from '#store/tables/connections.ts';
import { findProject } from '../project.ts';
import { findTeam, teamRights } from '../team.ts';
import { findWorkspace } from '../workspace.ts';
import { noun, parameterOf } from './noun.ts';

type Owner = RowOf<typeof ownerColumns>;

const ownerColumns = pick(wsNotificationsTable, 'workspace_id', 'project_id', 'team_id');

/** A notification configuration by the path's `notification_id`. Callers may manage it if they may change the settings of its owner. */
export const notification = noun(
  async (store, { caller, parameters }) => {
    const id = parameterOf(parameters, 'notification_id');
    const { rows } = await rowsOf(ownerColumns)`
      select workspace_id, project_id, team_id from ws_notifications where id = ${id}`.execute(store.db);
    const [owner] = rows;
    if (owner === undefined) throw notFound();
    return { id, mayManage: await managesOwner(store, caller, owner) };
  },
  { manage: ({ mayManage }) => mayManage },
);

async function managesOwner(
  store: Parameters<typeof findTeam>[0],
  caller: Parameters<typeof findTeam>[1],
  { workspace_id, project_id, team_id }: Owner,
): Promise<boolean> {
  if (workspace_id !== null) return (await findWorkspace(store, caller, { workspace_id })).levels.admin;
  if (project_id !== null) return (await findProject(store, caller, project_id)).levels.updates;
  return teamRights(await findTeam(store, caller, team_id ?? '')).manages;
}
