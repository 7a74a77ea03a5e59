import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import {
  type GrantedProjectRow,
  isReadableProject,
  projectGrantColumns,
  projectGrants,
  projectLevels,
} from '../../access/project.ts';
import { type Standing, standingIn } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { likePattern } from '../../frame/like.ts';
import { including } from './include.ts';
import { countColumns } from './read.ts';
import { type ProjectCounts, projectResource } from './view.ts';

type Row = { readonly total: number } & ({ readonly id: null } | (GrantedProjectRow & ProjectCounts));

/** The projects of an organization that the caller may read, by name. */
export async function listProjects({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const include = including(store, call);
  const standing = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  const page = pageOf(call.query);
  const order = orderOf(call.query);
  const { rows } = await sql<Row>`
    with matching as (select p.id, p.name from ws_projects p ${projectGrants(standing)}
                       where p.organization_id = ${standing.organization.id}
                         and ${isReadableProject(standing)} and ${filters(standing, call.query)})
    select x.*, t.total from (select count(*)::int as total from matching) t
      left join lateral (
        select p.*, ${projectGrantColumns(standing)}, ${countColumns}
          from (select id, name from matching m order by ${order('m')} limit ${page.size} offset ${page.offset}) one
          join ws_projects p on p.id = one.id ${projectGrants(standing)}) x on true
     order by ${order('x')}`.execute(store.db);
  const data = rows.flatMap((row) =>
    row.id === null ? [] : [projectResource({ project: row, standing, levels: projectLevels(standing, row) }, row)],
  );
  return include({ data, page: told(page, rows[0]?.total ?? 0) });
}

/** @throws ApiError 400 for an order that there is not */
function orderOf(query: URLSearchParams): (alias: string) => RawBuilder<unknown> {
  const sort = query.get('sort') || 'name';
  if (sort !== 'name' && sort !== '-name') throw badRequest('sort may be name or -name');
  const direction = sql.raw(sort === 'name' ? 'asc' : 'desc');
  return (alias) => sql`lower(${sql.ref(`${alias}.name`)}) ${direction}, ${sql.ref(`${alias}.id`)}`;
}

function filters(standing: Standing, query: URLSearchParams): RawBuilder<unknown> {
  const names = (query.get('filter[names]') ?? '').split(',').map((name) => name.trim().toLowerCase());
  const wanted = names.filter((name) => name !== '');
  const isNamed = wanted.length === 0 ? sql`true` : sql`lower(p.name) = any((select ${wanted}::text[])::text[])`;
  const all = standing.may('manage-projects') || query.get('filter[permissions][create-workspace]') !== 'true';
  const isDefault = standing.may('manage-workspaces')
    ? sql`p.id = ${standing.organization.default_project_id}`
    : sql`false`;
  const isCreatable = all ? sql`true` : sql`(coalesce(g.creates, false) or ${isDefault})`;
  return sql`${isNamed} and ${isCreatable} and ${isTagged(query)} and p.name ilike ${likePattern(query.get('q'))}`;
}

/** Of one list. */
const tagFiltersMax = 20;

/** `filter[tagged][i][key]` and `[value]`: all of them hold. Without a value any does. @throws ApiError 400 for too many */
function isTagged(query: URLSearchParams): RawBuilder<unknown> {
  const keys = [...query.keys()].flatMap((name) => /^filter\[tagged\]\[(\w+)\]\[key\]$/.exec(name)?.[1] ?? []);
  const places = [...new Set(keys)];
  if (places.length > tagFiltersMax) throw badRequest(`filter[tagged] may be there at most ${tagFiltersMax} times`);
  const conditions = places.map((place) => {
    const [key, value] = ['key', 'value'].map((part) => query.get(`filter[tagged][${place}][${part}]`) ?? '');
    const isValue = value === '' ? sql`true` : sql`b.value = ${value}`;
    return sql`exists (select 1 from ws_tag_bindings b where b.project_id = p.id and b.key = ${key} and ${isValue})`;
  });
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
