import { type Resource, toMany } from '#path/jsonapi/resource.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { bindingRowColumns } from '../tag-bindings/read.ts';
import { effectiveBindingResource } from '../tag-bindings/view.ts';

type Row = RowOf<typeof bindingColumns>;

const bindingColumns = { ...bindingRowColumns, project_id: text };

export interface ProjectsReply extends DocumentReply {
  readonly data: Resource | readonly Resource[];
}

/** The names that `include` may contain. */
export const known = ['effective_tag_bindings'] as const;

/** Adds the requested related resources to documents of projects, in one statement for all of them. */
export async function withIncluded(
  { db }: Pick<Store, 'db'>,
  asked: ReadonlySet<(typeof known)[number]>,
  reply: ProjectsReply,
): Promise<DocumentReply> {
  if (!asked.has('effective_tag_bindings')) return reply;
  const ids = [reply.data].flat().map(({ id }) => id);
  const { rows } = await rowsOf(bindingColumns)`
      select project_id, id, key, value, created_at from ws_tag_bindings
       where project_id = any((select ${ids}::text[])::text[]) order by project_id, position`.execute(db);
  const byProject = Map.groupBy(rows, (row) => row.project_id);
  const withLinks = (one: Resource) => linked(one, byProject.get(one.id) ?? []);
  const data = Array.isArray(reply.data) ? reply.data.map(withLinks) : withLinks(reply.data as Resource);
  return { ...reply, data, included: rows.map((row) => effectiveBindingResource({ ...row, inherited_from: null })) };
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
