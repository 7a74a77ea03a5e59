import { sql } from 'kysely';
import { type Resource, toMany } from '../../../path/jsonapi/resource.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { askedIncludes } from '../../frame/include.ts';
import type { BindingRow } from '../../workspace/tag-bindings/read.ts';
import { effectiveBindingResource } from '../../workspace/tag-bindings/view.ts';

type Row = BindingRow & { readonly project_id: string };
type Including = (reply: ProjectsReply) => Promise<DocumentReply>;

export interface ProjectsReply extends DocumentReply {
  readonly data: Resource | readonly Resource[];
}

/**
 * What adds to documents of projects what a request asks to be included; one statement for all of them.
 *
 * @throws ApiError 400 for what can't be included
 */
export function including({ db }: Pick<Store, 'db'>, { query }: ApiCall): Including {
  if (!askedIncludes(query, ['effective_tag_bindings']).has('effective_tag_bindings')) return async (reply) => reply;
  return async (reply) => {
    const ids = [reply.data].flat().map(({ id }) => id);
    const { rows } = await sql<Row>`
      select project_id, id, key, value, created_at from ws_tag_bindings
       where project_id = any((select ${ids}::text[])::text[]) order by project_id, position`.execute(db);
    const byProject = Map.groupBy(rows, (row) => row.project_id);
    const withLinks = (one: Resource) => linked(one, byProject.get(one.id) ?? []);
    const data = Array.isArray(reply.data) ? reply.data.map(withLinks) : withLinks(reply.data as Resource);
    return { ...reply, data, included: rows.map((row) => effectiveBindingResource({ ...row, inherited_from: null })) };
  };
}

function linked(project: Resource, rows: readonly Row[]): Resource {
  const name = 'effective-tag-bindings';
  const data = toMany(
    name,
    rows.map(({ id }) => id),
  );
  return {
    ...project,
    relationships: { ...project.relationships, [name]: { ...project.relationships?.[name], ...data } },
  };
}
