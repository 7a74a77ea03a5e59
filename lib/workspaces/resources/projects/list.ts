import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { pageRowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import {
  grantedProjectColumns,
  isReadableProject,
  projectGrantColumns,
  projectGrants,
  projectLevels,
} from '../../access/project.ts';
import type { Standing } from '../../access/standing.ts';
import { likePattern } from '../../frame/like.ts';
import { type known, withIncluded } from './include.ts';
import { countColumns } from './read.ts';
import { projectCountColumns, projectResource } from './view.ts';

interface ProjectQuery {
  readonly include: ReadonlySet<(typeof known)[number]>;
  readonly page: Page;
  readonly order: (alias: string) => RawBuilder<unknown>;
  /** The condition on projects `p`, which depends on the rights of the caller. */
  readonly filter: (standing: Standing) => RawBuilder<unknown>;
}

/** The projects of an organization that the caller may read, ordered by name. */
export async function listProjects(
  store: Pick<Store, 'db'>,
  standing: Standing,
  { include, page, order, filter }: ProjectQuery,
): Promise<DocumentReply> {
  const { rows } = await pageRowsOf({ ...grantedProjectColumns, ...projectCountColumns })`
    with matching as (select p.id, p.name from ws_projects p ${projectGrants(standing)}
                       where p.organization_id = ${standing.organization.id}
                         and ${isReadableProject(standing)} and ${filter(standing)})
    select x.*, t.total from (select count(*)::int as total from matching) t
      left join lateral (
        select p.*, ${projectGrantColumns(standing)}, ${countColumns}
          from (select id, name from matching m order by ${order('m')} limit ${page.size} offset ${page.offset}) one
          join ws_projects p on p.id = one.id ${projectGrants(standing)}) x on true
     order by ${order('x')}`.execute(store.db);
  const data = rows.flatMap((row) =>
    row.id === null ? [] : [projectResource({ project: row, standing, levels: projectLevels(standing, row) }, row)],
  );
  return withIncluded(store, include, { data, page: pageInfo(page, rows[0]?.total ?? 0) });
}

/** @throws ApiError 400 for an unknown order */
export function orderOf(query: URLSearchParams): (alias: string) => RawBuilder<unknown> {
  const sort = query.get('sort') || 'name';
  if (sort !== 'name' && sort !== '-name') throw badRequest('sort may be name or -name');
  const direction = sql.raw(sort === 'name' ? 'asc' : 'desc');
  return (alias) => sql`lower(${sql.ref(`${alias}.name`)}) ${direction}, ${sql.ref(`${alias}.id`)}`;
}

/** @throws ApiError 400 for too many tag filters */
export function filters(query: URLSearchParams): (standing: Standing) => RawBuilder<unknown> {
  const names = (query.get('filter[names]') ?? '').split(',').map((name) => name.trim().toLowerCase());
  const wanted = names.filter((name) => name !== '');
  const isNamed = wanted.length === 0 ? sql`true` : sql`lower(p.name) = any((select ${wanted}::text[])::text[])`;
  const isMatch = sql`${isNamed} and ${isTagged(query)} and p.name ilike ${likePattern(query.get('q'))}`;
  const all = query.get('filter[permissions][create-workspace]') !== 'true';
  return (standing) => sql`${isMatch} and ${all ? sql`true` : isCreatable(standing)}`;
}

/** Whether the caller may create workspaces in the project `p` with its grants `g`. */
function isCreatable({ may, organization }: Standing): RawBuilder<unknown> {
  if (may('manage-projects')) return sql`true`;
  const isDefault = may('manage-workspaces') ? sql`p.id = ${organization.default_project_id}` : sql`false`;
  return sql`(coalesce(g.creates, false) or ${isDefault})`;
}

/** Tag filters in one request. */
const tagFiltersMax = 20;

/** `filter[tagged][i][key]` and `[value]`: projects must match all of them; an absent value matches any. @throws ApiError 400 for too many */
function isTagged(query: URLSearchParams): RawBuilder<unknown> {
  const keys = [...query.keys()].flatMap((name) => /^filter\[tagged\]\[(\w+)\]\[key\]$/.exec(name)?.[1] ?? []);
  const places = [...new Set(keys)];
  if (places.length > tagFiltersMax) throw badRequest(`filter[tagged] may occur at most ${tagFiltersMax} times`);
  const conditions = places.map((place) => {
    const [key, value] = ['key', 'value'].map((part) => query.get(`filter[tagged][${place}][${part}]`) ?? '');
    const isValue = value === '' ? sql`true` : sql`b.value = ${value}`;
    return sql`exists (select 1 from ws_tag_bindings b where b.project_id = p.id and b.key = ${key} and ${isValue})`;
  });
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
