import { sql } from 'kysely';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { standingIn } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { likePattern } from '../../frame/like.ts';
import { includedWith, teamIncludes } from './included.ts';
import { findTeam, isVisible, type TeamRow, teamColumns } from './team.ts';
import { teamResource } from './view.ts';

/** The teams of an organization that the caller may see, by name. */
export async function listTeams({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { query, caller } = call;
  const asked = teamIncludes(query);
  const page = pageOf(query);
  const standing = await standingIn(store, caller, call.parameters['organization_name'] ?? '');
  const names = (query.get('filter[names]') ?? '').split(',').map((name) => name.trim().toLowerCase());
  const wanted = names.filter((name) => name !== '');
  const condition = sql`t.organization_id = ${standing.organization.id} and ${isVisible(standing)}
    and t.name ilike ${likePattern(query.get('q'))}
    and ${wanted.length === 0 ? sql`true` : sql`lower(t.name) = any((select ${wanted}::text[])::text[])`}`;
  const { rows } = await sql<{ total: number } & ({ id: null } | TeamRow)>`
    select x.*, n.total from (select count(*)::int as total from ws_teams t where ${condition}) n
      left join lateral (select ${teamColumns(standing)} from ws_teams t where ${condition}
                          order by lower(t.name) limit ${page.size} offset ${page.offset}) x on true
     order by lower(x.name)`.execute(store.db);
  const found = rows.flatMap((row) => (row.id === null ? [] : [{ team: row, standing }]));
  const included = await includedWith(store, asked, { caller, found });
  return {
    data: found.map(teamResource),
    ...(included === undefined ? {} : { included }),
    page: told(page, rows[0]?.total ?? 0),
  };
}

/** One team. */
export async function showTeam({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const asked = teamIncludes(call.query);
  const found = await findTeam(store, call.caller, call.parameters['team_id'] ?? '');
  const included = await includedWith(store, asked, { caller: call.caller, found: [found] });
  return { data: teamResource(found), ...(included === undefined ? {} : { included }) };
}
