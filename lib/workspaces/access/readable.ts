import { type RawBuilder, sql } from 'kysely';
import { opaqueParameter } from '#store/postgres/statements/parameters.ts';
import { levelsEverywhere, type Standing } from './standing.ts';

/** The condition that the caller may read the workspace `w`, for statements that find few workspaces or stop early. */
export const isReadable = (standing: Standing): RawBuilder<unknown> =>
  readsEvery(standing)
    ? sql`true`
    : sql`(w.project_id in (${projects(standing)}) or w.id in (${workspaces(standing)}))`;

/**
 * A source of rows with these columns of all workspaces `w` that the caller may read. Grants lead to them by indexes, so the cost grows with
 * what the caller may read and not with the size of the organization. `offset 0` keeps conditions of the statement out of
 * the two parts, where each would be prepared twice.
 */
export const readableWorkspaces = (standing: Standing, columns: RawBuilder<unknown>): RawBuilder<unknown> =>
  readsEvery(standing)
    ? sql`(${inOrganization(standing, columns)})`
    : sql`(${inOrganization(standing, columns)} and w.project_id = any(array(${projects(standing)}))
    union all ${inOrganization(standing, columns)} and w.id = any(array(${workspaces(standing)}))
       and w.project_id not in (${projects(standing)}) offset 0)`;

const readsEvery = (standing: Standing): boolean => levelsEverywhere(standing).runs > 0;

export const inOrganization = ({ organization }: Standing, columns: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select ${columns} from ws_workspaces w where w.organization_id = ${opaqueParameter(organization.id, 'text')}`;

const projects = ({ teamIds }: Standing): RawBuilder<unknown> => sql`
  select project_id from ws_grants where team_id = any(${opaqueParameter(teamIds, 'text[]')}) and project_id is not null`;

const workspaces = ({ teamIds }: Standing): RawBuilder<unknown> => sql`
  select workspace_id from ws_grants where team_id = any(${opaqueParameter(teamIds, 'text[]')}) and workspace_id is not null`;
