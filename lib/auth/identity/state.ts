import { type RawBuilder, sql } from 'kysely';

/** What a look-up says of the entity that a token is of. */
export interface EntityState {
  /** The entity of now: the one that the token's was merged into, if it was. Empty: the token is of none. */
  readonly entity_id: string;
  /** Another text after each change of the entity and of any group; null: the entity is disabled or gone, or there is none. */
  readonly entity_state: string | null;
}

/** Joins the entity `e` of an id, and none for the empty one. */
export const entityJoin = (id: RawBuilder<unknown>) => sql`left join entities e on e.id = case when ${id} = '' then null
  else coalesce((select m.to_id from merged_entities m where m.from_id = ${id}), ${id}) end`;

/** Of the entity `e`: what the cache of its facts goes by. */
export const stateColumn = sql`case when e.disabled then null
  else e.version || '.' || (select revision from revisions where name = 'groups') end`;

/** The columns of `EntityState`. */
export const entityColumns = (id: RawBuilder<unknown>) =>
  sql`coalesce(e.id, ${id}) as entity_id, ${stateColumn} as entity_state`;

/** What uses the token may be made of it. */
export const mayAct = ({ entity_id, entity_state }: EntityState): boolean => entity_id === '' || entity_state !== null;
