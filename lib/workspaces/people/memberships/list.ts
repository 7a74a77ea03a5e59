import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../path/jsonapi/error.ts';
import { type Page, pageOf, told } from '../../../path/jsonapi/page.ts';
import type { Resource } from '../../../path/jsonapi/resource.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { type Standing, standingIn, standingOf } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { askedIncludes } from '../../frame/include.ts';
import { likePattern } from '../../frame/like.ts';
import { organizationDocuments } from '../../organization/organizations/document.ts';
import { isVisible, type TeamRow, teamColumns } from '../teams/team.ts';
import { teamResource } from '../teams/view.ts';
import { ownMembership } from './own.ts';
import { type MembershipRow, membershipColumns, membershipResource, readMembership, shownAddress } from './read.ts';
import { usersWithAddresses } from './users.ts';

const known = ['user', 'organization', 'teams'] as const;
type Asked = ReadonlySet<(typeof known)[number]>;

/** Who belongs to an organization, by address. */
export async function listMemberships({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const asked = askedIncludes(call.query, known);
  const page = pageOf(call.query);
  const standing = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  const condition = sql`m.organization_id = ${standing.organization.id} and ${filters(call.query)}`;
  const { rows } = await sql<{ total: number } & ({ id: null } | MembershipRow)>`
    select x.*, n.total
      from (select count(*)::int as total from ws_memberships m join ws_users u on u.id = m.user_id where ${condition}) n
      left join lateral (
        select ${membershipColumns(isVisible(standing))} from ws_memberships m join ws_users u on u.id = m.user_id
         where ${condition} order by lower(${shownAddress}), m.id limit ${page.size} offset ${page.offset}) x on true
     order by lower(x.email), x.id`.execute(store.db);
  const found = rows.flatMap((row) => (row.id === null ? [] : [row]));
  return reply({ store, call, asked }, { standing, found, page, total: rows[0]?.total ?? 0 });
}

/** @throws ApiError 400 for a status that there is not */
function filters(query: URLSearchParams): RawBuilder<unknown> {
  const emails = (query.get('filter[email]') ?? '').split(',').map((one) => one.trim().toLowerCase());
  const wanted = emails.filter((one) => one !== '');
  const status = query.get('filter[status]') || undefined;
  if (status !== undefined && status !== 'active' && status !== 'invited')
    throw badRequest('filter[status] may be active or invited');
  const search = likePattern(query.get('q'));
  return sql`(${shownAddress} ilike ${search} or (m.status = 'active' and u.username ilike ${search}))
    and ${wanted.length === 0 ? sql`true` : sql`lower(${shownAddress}) = any((select ${wanted}::text[])::text[])`}
    and ${status === undefined ? sql`true` : sql`m.status = ${status}`}`;
}

/** One membership. The invited one sees its own before it belongs to the organization. */
export async function showMembership({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const asked = askedIncludes(call.query, known);
  const id = call.parameters['membership_id'] ?? '';
  const own = await ownMembership(store, call.caller, id);
  if (own?.status === 'invited') return { data: membershipResource(own, own.organization_name) };
  const of = sql`(select organization_id from ws_memberships where id = ${id})`;
  const standing = await standingOf(store, call.caller, of);
  const found = [await readMembership(store, standing, id)];
  const { data, ...more } = await reply({ store, call, asked }, { standing, found });
  return { ...more, data: Array.isArray(data) ? data[0] : data };
}

/** The organizations to which the caller belongs or is invited, as memberships. */
export async function listOwnMemberships({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { caller } = call;
  mustHave(caller.kind === 'user');
  const page = pageOf(call.query);
  const { rows } = await sql<MembershipRow & { organization_name: string; total: number }>`
    select ${membershipColumns(sql`true`)}, o.name as organization_name, (count(*) over ())::int as total
      from ws_memberships m join ws_users u on u.id = m.user_id
      join ws_organizations o on o.id = m.organization_id and o.removed_at is null
     where m.user_id = ${caller.id} order by m.id limit ${page.size} offset ${page.offset}`.execute(store.db);
  return {
    data: rows.map((row) => membershipResource(row, row.organization_name)),
    page: told(page, rows[0]?.total ?? 0),
  };
}

interface Asking {
  readonly store: Pick<Store, 'db'>;
  readonly call: ApiCall;
  readonly asked: Asked;
}

interface Found {
  readonly standing: Standing;
  readonly found: readonly MembershipRow[];
  readonly page?: Page;
  readonly total?: number;
}

async function reply(asking: Asking, { standing, found, page, total = 0 }: Found): Promise<DocumentReply> {
  const included = asking.asked.size === 0 ? {} : { included: await includedWith(asking, standing, found) };
  const data = found.map((row) => membershipResource(row, standing.organization.name));
  return { data, ...included, ...(page === undefined ? {} : { page: told(page, total) }) };
}

async function includedWith(
  { store, call, asked }: Asking,
  standing: Standing,
  found: readonly MembershipRow[],
): Promise<readonly Resource[]> {
  const users = asked.has('user') ? await usersWithAddresses(store, found, call.caller) : [];
  const teamIds = asked.has('teams') ? [...new Set(found.flatMap(({ team_ids }) => team_ids))] : [];
  const { rows: teams } =
    teamIds.length === 0
      ? { rows: [] }
      : await sql<TeamRow>`select ${teamColumns(standing)} from ws_teams t where t.id = any((select ${teamIds}::text[])::text[])`.execute(
          store.db,
        );
  return [
    ...users,
    ...teams.map((team) => teamResource({ team, standing })),
    ...(asked.has('organization') ? await organizationDocuments(store, [standing]) : []),
  ];
}
