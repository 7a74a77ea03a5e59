import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../path/jsonapi/row.ts';
import { unseen } from '../../store/postgres/unseen.ts';
import type { Store } from '../../store/store.ts';
import { type Levels, most, namedLevels, nothing, runLevels } from './levels.ts';
import { type OrganizationFlag, organizationFlags } from './organization-access.ts';

/** An organization as far as requests for what is in it need it. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly default_project_id: string;
  readonly default_execution_mode: 'remote' | 'local' | 'agent';
  readonly default_agent_pool_id: string | null;
  readonly allow_force_delete_workspaces: boolean;
  readonly assessments_enforced: boolean;
  readonly email: string;
  /** What of it nothing but its own document shows, by the names of the API. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
}

/** What a caller is in an organization. It was read in one statement and holds for one request. */
export interface Standing {
  readonly organization: Organization;
  readonly caller: ApiCaller;
  /** Of the caller that are in this organization. */
  readonly teamIds: readonly string[];
  /** Of the team of owners, or an administrator of the site. */
  readonly isOwner: boolean;
  /** The token of the organization itself: it manages workspaces, and neither plans nor applies nor creates state. */
  readonly isOrganization: boolean;
  /** What its teams may do in the whole organization; owners and the organization's token have all. */
  may(flag: OrganizationFlag): boolean;
}

interface Row extends Organization {
  readonly team_ids: readonly string[];
  readonly owner: boolean;
  readonly member: boolean;
  readonly flags: readonly string[];
}

/**
 * What the caller is in the organization of that name.
 *
 * @throws ApiError 404: there is none, or the caller does not belong to it
 */
export const standingIn = (store: Pick<Store, 'db'>, caller: ApiCaller, name: string): Promise<Standing> =>
  standing(store, caller, sql`lower(o.name) = lower(${name})`);

/** The same by the organization's id, or by a query for one, such as `(select organization_id from … where id = …)`. */
export const standingOf = (store: Pick<Store, 'db'>, caller: ApiCaller, id: RawBuilder<unknown>): Promise<Standing> =>
  standing(store, caller, sql`o.id = ${id}`);

/** The same in the organizations of these ids to which the caller belongs, in no order. */
export async function standingsOf(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  ids: readonly string[],
): Promise<readonly Standing[]> {
  const rows = await rowsWhere(store, caller, sql`o.id = any((select ${ids}::text[])::text[])`);
  return rows.filter((row) => belongs(row, caller)).map((row) => standingOfRow(row, caller));
}

async function standing(
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
  const { rows } = await sql<Row>`
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

/** A user that was invited belongs to nothing before it has accepted, whatever teams wait for it. */
const belongs = ({ member }: Row, caller: ApiCaller): boolean => isSiteAdmin(caller) || member;

/** The user of the root token of the secrets service: an administrator of the site, and a member of nothing. */
export const rootId = 'user-root';

/** May everything in every organization. */
export const isSiteAdmin = (caller: ApiCaller): boolean => caller.kind === 'user' && caller.siteAdmin;

function standingOfRow({ team_ids, owner, flags, ...row }: Row, caller: ApiCaller): Standing {
  const { member: _member, ...organization } = row;
  const isOwner = owner || isSiteAdmin(caller);
  const isOrganization = caller.kind === 'organization';
  const held = new Set(flags);
  return {
    ...{ organization, caller, teamIds: team_ids, isOwner, isOrganization },
    may: (flag) => isOwner || isOrganization || held.has(flag),
  };
}

/** All flags as an object, for the permissions of a team or an organization. */
export const flagsOf = (standing: Standing): Readonly<Record<OrganizationFlag, boolean>> =>
  Object.fromEntries(organizationFlags.map((flag) => [flag, standing.may(flag)])) as Record<OrganizationFlag, boolean>;

function isTeamOf(caller: ApiCaller, alias: string): RawBuilder<unknown> {
  const id = sql.raw(`${alias}.id`);
  if (caller.kind === 'team') return sql`${id} = ${caller.id}`;
  if (caller.kind === 'organization') return sql`false`;
  return sql`${id} in (select m.team_id from ws_team_members m where m.user_id = ${caller.id})`;
}

/** Whether the caller belongs to the organization `o`, for the condition of a list. */
export const isOf = (caller: ApiCaller): RawBuilder<unknown> => (isSiteAdmin(caller) ? sql`true` : isMember(caller));

function isMember(caller: ApiCaller): RawBuilder<unknown> {
  if (caller.kind === 'team') return sql`(o.id = ${caller.organizationId})`;
  if (caller.kind === 'organization') return sql`(o.id = ${caller.id})`;
  return sql`exists (select 1 from ws_memberships m
    where m.organization_id = o.id and m.user_id = ${caller.id} and m.status = 'active')`;
}

/** What a standing alone gives on every workspace of the organization, whatever was granted. */
export function levelsEverywhere(standing: Standing): Levels {
  if (standing.isOwner) return { ...namedLevels.admin, moves: true };
  if (standing.isOrganization)
    return { ...namedLevels.admin, runs: runLevels.read, state_versions: namedLevels.read.state_versions, moves: true };
  if (standing.may('manage-projects')) return { ...namedLevels.admin, moves: true };
  // Moving takes an administrator of the projects.
  if (standing.may('manage-workspaces')) return namedLevels.admin;
  return standing.may('read-workspaces') || standing.may('read-projects') ? namedLevels.read : nothing;
}

/** Whether it administers every workspace of the organization, also those that will be made. */
export const managesWorkspaces = ({ may }: Standing): boolean => may('manage-workspaces') || may('manage-projects');

/** Levels that a statement answered beside a workspace; null where nothing is granted. */
export type GrantedLevels = { readonly [K in keyof Levels]: Levels[K] | null };

/**
 * Columns of what the grants of the caller's teams say of the workspace `w`, for a `left join lateral … g on true`; of several
 * the largest.
 */
export const grantsOfWorkspace = ({ teamIds }: Standing): RawBuilder<unknown> => sql`(
  select max(runs) as runs, max(variables) as variables, max(state_versions) as state_versions, bool_or(locking) as locking,
         bool_or(run_tasks) as run_tasks, bool_or(admin) as admin, bool_or(moves) as moves,
         bool_or(admin or settings->>'delete' = 'true') as removes
    from ws_grants where team_id = any(${unseen(teamIds, 'text[]')}) and (workspace_id = w.id or project_id = w.project_id))`;

/** What the caller may do with a workspace, from its standing and what a statement answered of grants. */
export function levelsOf(standing: Standing, granted: GrantedLevels): Levels {
  const { runs, variables, state_versions, locking, run_tasks, admin, removes, moves } = granted;
  const own = {
    ...{ runs: runs ?? 0, variables: variables ?? 0, state_versions: state_versions ?? 0 },
    ...{ locking: locking ?? false, run_tasks: run_tasks ?? false, admin: admin ?? false },
    ...{ removes: removes ?? false, moves: moves ?? false },
  };
  return most(levelsEverywhere(standing), own);
}
