import { sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { wsMembershipsTable, wsTokensTable } from '#store/tables/organizations.ts';
import { isSiteAdmin, organizationAccessById, type Standing } from '../standing.ts';
import { findTeam, teamRights } from '../team.ts';
import { type Db, noun, parameterOf } from './noun.ts';

/** The caller is the user, or an administrator of the site. */
const isOrManages = (caller: ApiCaller, userId: string): boolean =>
  caller.kind === 'user' && (caller.id === userId || caller.siteAdmin);

/** A user by the path's `user_id`: the caller itself, one it administers, or one it shares an organization with. */
export const user = noun(
  async (store, { caller, parameters }) => {
    const id = parameterOf(parameters, 'user_id');
    if (!isOrManages(caller, id)) await organizationAccessById(store, caller, sql`(${sharedOrganization(caller, id)})`);
    return { id };
  },
  { read: () => true, 'manage-tokens': ({ id }, { caller }) => isOrManages(caller, id) },
);

const sharedOrganization = (caller: ApiCaller, userId: string) =>
  caller.kind === 'user'
    ? sql`select m.organization_id from ws_memberships m join ws_memberships own on own.organization_id = m.organization_id
           where m.user_id = ${userId} and m.status = 'active' and own.user_id = ${caller.id} and own.status = 'active' limit 1`
    : sql`select organization_id from ws_memberships
           where user_id = ${userId} and status = 'active'
             and organization_id = ${caller.kind === 'team' ? caller.organizationId : caller.id}`;

/** The columns of a membership that determine rights. */
export interface FoundMembership extends MembershipRow {
  /** The caller's access to the organization; undefined for the caller's own invitation. */
  readonly standing: Standing | undefined;
}

type MembershipRow = RowOf<typeof membershipColumns>;

const membershipColumns = {
  ...pick(wsMembershipsTable, 'id', 'organization_id'),
  user_id: text,
  status: oneOf('active', 'invited'),
};

/** A membership by the path's `membership_id`. The invited user sees its own before it belongs to the organization. */
export const membership = noun(
  async (store, { caller, parameters }): Promise<FoundMembership> => {
    const row = await readMembership(store, parameterOf(parameters, 'membership_id'));
    const isOwnInvitation = row.status === 'invited' && isOwn(caller, row);
    // The organization's audit trail records what invited users do with their invitations.
    if (isOwnInvitation) caller.actsIn.add(row.organization_id);
    const standing = isOwnInvitation
      ? undefined
      : await organizationAccessById(store, caller, sql`${row.organization_id}`);
    return { ...row, standing };
  },
  {
    read: () => true,
    remove: (found, { caller }) => isOwn(caller, found) || found.standing?.may('manage-membership') === true,
    accept: (found, { caller }) => isOwn(caller, found) || isSiteAdmin(caller),
  },
);

const isOwn = (caller: ApiCaller, { user_id }: Pick<MembershipRow, 'user_id'>): boolean =>
  caller.kind === 'user' && caller.id === user_id;

async function readMembership({ db }: Db, id: string): Promise<MembershipRow> {
  const { rows } = await rowsOf(membershipColumns)`
    select m.id, m.user_id, m.organization_id, m.status from ws_memberships m
      join ws_organizations o on o.id = m.organization_id and o.removed_at is null where m.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

type TokenOwner = RowOf<typeof tokenOwnerColumns>;

const tokenOwnerColumns = {
  ...pick(wsTokensTable, 'id', 'user_id', 'team_id', 'organization_id'),
  of: oneOf('service', 'agents'),
};

/** A token of a user, a team, an organization or of agents, by the path's `token_id`. Only callers that manage it may read it. */
export const token = noun(
  async (store, { caller, parameters }) => {
    const owner = await tokenOwner(store, parameterOf(parameters, 'token_id'));
    if (!(await managesToken(store, caller, owner))) throw notFound();
    return { id: owner.id, of: owner.of };
  },
  { manage: () => true },
);

async function tokenOwner({ db }: Db, id: string): Promise<TokenOwner> {
  const { rows } = await rowsOf(tokenOwnerColumns)`
    select id, 'service' as of, user_id, team_id, organization_id from ws_tokens where id = ${id}
    union all
    select t.id, 'agents', null, null, p.organization_id
      from ws_agent_tokens t join ws_agent_pools p on p.id = t.agent_pool_id where t.id = ${id} limit 1`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

async function managesToken(store: Db, caller: ApiCaller, owner: TokenOwner): Promise<boolean> {
  if (owner.user_id !== null) return isOrManages(caller, owner.user_id);
  if (owner.team_id !== null) return teamRights(await findTeam(store, caller, owner.team_id)).managesTokens;
  const standing = await organizationAccessById(store, caller, sql`${owner.organization_id}`);
  return owner.of === 'agents' ? standing.may('manage-agent-pools') : standing.isOwner;
}
