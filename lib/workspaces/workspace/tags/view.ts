import { type RawBuilder, sql } from 'kysely';
import { type Resource, timeText, toOne } from '../../../path/jsonapi/resource.ts';
import type { Standing } from '../../access/standing.ts';

export interface TagRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly instances: number;
}

/** Columns of the tag `t`. */
export const tagColumns: RawBuilder<unknown> = sql`t.id, t.name, t.created_at,
  (select count(*)::integer from ws_workspace_tags i where i.tag_id = t.id) as instances`;

/** A flat tag (reference, workspaces 1.8). */
export const tagResource = ({ organization }: Standing, { id, name, created_at, instances }: TagRow): Resource => ({
  ...{ id, type: 'tags' },
  attributes: { name, 'created-at': timeText(created_at), 'instance-count': instances },
  relationships: { organization: toOne('organizations', organization.name) },
});
