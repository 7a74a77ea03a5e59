import { type RawBuilder, sql } from 'kysely';
import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { int } from '#store/sql/kinds.ts';
import { wsTagsTable } from '#store/tables/workspaces.ts';
import type { Standing } from '../../access/standing.ts';

export type TagRow = RowOf<typeof tagRowColumns>;

export const tagRowColumns = { ...pick(wsTagsTable, 'id', 'name', 'created_at'), instances: int };

/** Columns of the tag `t`. */
export const tagColumns: RawBuilder<unknown> = sql`t.id, t.name, t.created_at,
  (select count(*)::integer from ws_workspace_tags i where i.tag_id = t.id) as instances`;

/** The document of a flat tag. */
export const tagResource = ({ organization }: Standing, { id, name, created_at, instances }: TagRow): Resource => ({
  id,
  type: 'tags',
  attributes: { name, 'created-at': timeText(created_at), 'instance-count': instances },
  relationships: { organization: toOne('organizations', organization.name) },
});
