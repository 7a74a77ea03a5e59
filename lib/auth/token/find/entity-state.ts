import { type RawBuilder, sql } from 'kysely';
import type { RowOf } from '#store/sql/columns.ts';
import { nullable, text } from '#store/sql/kinds.ts';

/** The entity of a token, as the look-up of the token reads it. */
export type EntityState = RowOf<typeof entityStateColumns>;

export const entityStateColumns = {
  /** The present entity, after merges. Empty for a token without an entity. */
  entity_id: text,
  /** Changes with the entity and with any group. Null when the entity is disabled, deleted or absent. */
  entity_state: nullable(text),
};

/** Joins the entity of an id as `e`; an empty id has none. */
export const entityJoin = (id: RawBuilder<unknown>) => sql`left join entities e on e.id = case when ${id} = '' then null
  else coalesce((select m.to_id from merged_entities m where m.from_id = ${id}), ${id}) end`;

/** The state of the entity `e`, by which its facts are cached. */
export const stateColumn = sql`case when e.disabled then null
  else e.version || '.' || (select revision from revisions where name = 'groups') end`;

/** The columns of `EntityState`. */
export const entityColumns = (id: RawBuilder<unknown>) =>
  sql`coalesce(e.id, ${id}) as entity_id, ${stateColumn} as entity_state`;

/** Whether the entity lets the token be used. */
export const isEntityActive = ({ entity_id, entity_state }: EntityState): boolean =>
  entity_id === '' || entity_state !== null;
