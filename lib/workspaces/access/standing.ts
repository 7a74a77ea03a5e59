import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { opaqueParameter } from '#store/postgres/statements/parameters.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { arrayOf, bool, jsonObject, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsOrganizationsTable } from '#store/tables/organizations.ts';
import {
  type Levels,
  maxLevels,
  namedLevels,
  noLevels,
  type OrganizationFlag,
  organizationFlags,
  runLevels,
} from './levels.ts';

/** Where runs are executed. */
export const executionMode = oneOf('remote', 'local', 'agent');

/** The columns of an organization that requests about its resources need. */
export type Organization = RowOf<typeof organizationColumns>;

export const organizationColumns = {
  ...pick(wsOrganizationsTable, 'id', 'name', 'default_agent_pool_id', 'allow_force_delete_workspaces', 'email'),
  ...pick(wsOrganizationsTable, 'assessments_enforced', 'created_at'),
  default_project_id: text,
  default_execution_mode: executionMode,
  /** Attributes that only the document of the organization shows, by their API names. */
  settings: jsonObject,
};

/** The access of a caller to an organization, read in one statement per request. */
export interface Standing {
  readonly organization: Organization;
  readonly caller: ApiCaller;
  /** The teams of the caller in this organization. */
  readonly teamIds: readonly string[];
  /** The caller is in the team of owners, or an administrator of the site. */
  readonly isOwner: boolean;
  /** The caller is the organization's own token: it manages workspaces, but cannot plan, apply or create state. */
  readonly isOrganization: boolean;
  /** Whether one of its teams has the right. Owners and the organization's token have all rights. */
  may(flag: OrganizationFlag): boolean;
}

type Row = RowOf<typeof standingColumns>;

const standingColumns = {
  ...organizationColumns,
  team_ids: arrayOf(text),
  owner: bool,
  member: bool,
  flags: arrayOf(text),
};

/**
 * The caller's access to the organization with this name.
 *
 * @throws ApiError 404 when it does not exist or the caller does not belong to it
 */
export const organizationAccessByName = (
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  name: string,
): Promise<Standing> => organizationAccessWhere(store, caller, sql`lower(o.name) = lower(${name})`);

/** The same by the organization's id, or by a query for one, such as `(select organization_id from … where id = …)`. */
export const organizationAccessById = (
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  id: RawBuilder<unknown>,
): Promise<Standing> => organizationAccessWhere(store, caller, sql`o.id = ${id}`);

/** The same for several organizations by their ids, in any order. Organizations to which the caller does not belong are left out. */
export async function organizationAccessByIds(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  ids: readonly string[],
): Promise<readonly Standing[]> {
  const rows = await rowsWhere(store, caller, sql`o.id = any((select ${ids}::text[])::text[])`);
  return rows.filter((row) => belongs(row, caller)).map((row) => standingOfRow(row, caller));
}

async function organizationAccessWhere(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  condition: RawBuilder<unknown>,
): Promise<Standing> {
  const [row] = await rowsWhere(store, caller, condition);
  if (row === undefined || !belongs(row, caller)) throw notFound();
  caller.actsIn.add(row.id);
  return standingOfRow(row, caller);
}

async function rowsWhere(
  { db }: Pick<Store, 'db'>,
  caller: ApiCaller,
  condition: RawBuilder<unknown>,
): Promise<readonly Row[]> {
  const { rows } = await rowsOf(standingColumns)`
    select o.id, o.name, o.default_project_id, o.default_execution_mode, o.default_agent_pool_id,
           o.allow_force_delete_workspaces, o.assessments_enforced, o.email, o.settings, o.created_at,
           coalesce(t.ids, '{}') as team_ids, coalesce(t.owner, false) as owner, coalesce(t.flags, '{}') as flags,
           ${isMember(caller)} as member
      from ws_organizations o
      left join lateral (
        select array_agg(t.id) as ids, bool_or(t.owners) as owner,
               array(select distinct f.key from ws_teams g cross join jsonb_each(g.access) f
                      where g.organization_id = o.id and ${isTeamOf(caller, 'g')} and f.value = 'true') as flags
          from ws_teams t where t.organization_id = o.id and ${isTeamOf(caller, 't')} and ${isOf(caller)}
      ) t on true
     where ${condition} and o.removed_at is null`.execute(db);
  return rows;
}

/** Invited users do not belong to the organization until they accept, whatever teams they were invited to. */
const belongs = ({ member }: Row, caller: ApiCaller): boolean => isSiteAdmin(caller) || member;

/** The user of the root token of the secrets service: an administrator of the site that belongs to no organization. */
export const rootId = 'user-root';

/** Whether the caller has all rights in every organization. */
export const isSiteAdmin = (caller: ApiCaller): boolean => caller.kind === 'user' && caller.siteAdmin;

function standingOfRow({ team_ids, owner, flags, ...row }: Row, caller: ApiCaller): Standing {
  const { member: _member, ...organization } = row;
  const isOwner = owner || isSiteAdmin(caller);
  const isOrganization = caller.kind === 'organization';
  const held = new Set(flags);
  return {
    organization,
    caller,
    teamIds: team_ids,
    isOwner,
    isOrganization,
    may: (flag) => isOwner || isOrganization || held.has(flag),
  };
}

/** All flags as an object, for the permissions of a team or an organization. */
export const flagsOf = (standing: Standing): Readonly<Record<OrganizationFlag, boolean>> =>
  Object.fromEntries(organizationFlags.map((flag) => [flag, standing.may(flag)])) as Record<OrganizationFlag, boolean>;

function isTeamOf(caller: ApiCaller, alias: string): RawBuilder<unknown> {
  const id = sql.raw(`${alias}.id`);
  if (caller.kind === 'team') return sql`${id} = ${caller.id}`;
  if (caller.kind !== 'user') return sql`false`;
  return sql`${id} in (select m.team_id from ws_team_members m where m.user_id = ${caller.id})`;
}

/** The condition that the caller belongs to the organization `o`, for lists. */
export const isOf = (caller: ApiCaller): RawBuilder<unknown> => (isSiteAdmin(caller) ? sql`true` : isMember(caller));

function isMember(caller: ApiCaller): RawBuilder<unknown> {
  if (caller.kind === 'team' || caller.kind === 'run' || caller.kind === 'agents' || caller.kind === 'task')
    return sql`(o.id = ${caller.organizationId})`;
  if (caller.kind === 'organization') return sql`(o.id = ${caller.id})`;
  return sql`exists (select 1 from ws_memberships m
    where m.organization_id = o.id and m.user_id = ${caller.id} and m.status = 'active')`;
}

/** The rights on every workspace of the organization, without any grants. */
export function levelsEverywhere(standing: Standing): Levels {
  if (standing.isOwner) return { ...namedLevels.admin, moves: true };
  if (standing.isOrganization)
    return { ...namedLevels.admin, runs: runLevels.read, state_versions: namedLevels.read.state_versions, moves: true };
  if (standing.may('manage-projects')) return { ...namedLevels.admin, moves: true };
  // Only administrators of projects move workspaces.
  if (standing.may('manage-workspaces')) return namedLevels.admin;
  return standing.may('read-workspaces') || standing.may('read-projects') ? namedLevels.read : noLevels;
}

/** Whether the caller administers every workspace of the organization, including future ones. */
export const managesWorkspaces = ({ may }: Standing): boolean => may('manage-workspaces') || may('manage-projects');

/** The levels read with a workspace; null without a grant. */
export type GrantedLevels = { readonly [K in keyof Levels]: Levels[K] | null };

/**
 * Columns of the grants of the caller's teams on the workspace `w`, for a `left join lateral … g on true`; the largest of several.
 */
export const grantsOfWorkspace = ({ teamIds }: Standing): RawBuilder<unknown> => sql`(
  select max(runs) as runs, max(variables) as variables, max(state_versions) as state_versions, bool_or(locking) as locking,
         bool_or(run_tasks) as run_tasks, bool_or(admin) as admin, bool_or(moves) as moves,
         bool_or(admin or settings->>'delete' = 'true') as removes
    from ws_grants where team_id = any(${opaqueParameter(teamIds, 'text[]')}) and (workspace_id = w.id or project_id = w.project_id))`;

/** The rights of the caller on a workspace, from its access to the organization and the grants. */
export function levelsOf(standing: Standing, granted: GrantedLevels): Levels {
  const { runs, variables, state_versions, locking, run_tasks, admin, removes, moves } = granted;
  const own = {
    runs: runs ?? 0,
    variables: variables ?? 0,
    state_versions: state_versions ?? 0,
    locking: locking ?? false,
    run_tasks: run_tasks ?? false,
    admin: admin ?? false,
    removes: removes ?? false,
    moves: moves ?? false,
  };
  return maxLevels(levelsEverywhere(standing), own);
}
