import { type RawBuilder, sql } from 'kysely';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { destinationsMax } from '../records/destinations.ts';
import { beginOfSpan, spanSeconds } from './slots.ts';

export interface Place {
  readonly type: string;
  readonly name: string;
}

/** The destinations that count. */
export interface Places {
  /** All destinations of these types, also those that the samples do not name. */
  readonly types: readonly string[];
  /** Single destinations of other types. */
  readonly single: readonly Place[];
}

export interface SampleRange {
  readonly namespaceId: string;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly type: string | undefined;
  readonly name: string | undefined;
}

/**
 * The destinations of the namespace, and those of its samples, which may be deleted. At most one more than lists look at. The spans name all that
 * samples name.
 */
export async function sampledPlaces({ db }: Pick<Store, 'db'>, range: SampleRange): Promise<readonly Place[]> {
  const { rows } = await rowsOf({ type: text, name: text })`
    select type, name from destinations s where namespace_id = ${range.namespaceId} and ${ofType(range)}
     union
    select type, name from sync_sample_spans s
     where s.namespace_id = ${range.namespaceId} and s.slot >= ${beginOfSpan(sql`${range.from}::timestamptz`, spanSeconds)}
       and s.slot < ${range.to} and ${ofType(range)} and name <> ''
     limit ${destinationsMax + 1}::int`.execute(db);
  return rows;
}

/** A condition on the rows `s`. */
export const ofType = ({ type }: Pick<SampleRange, 'type'>): RawBuilder<unknown> =>
  type === undefined ? sql`true` : sql`s.type = ${type}`;

/** A condition on the rows `s`. */
export const ofName = ({ name }: Pick<SampleRange, 'name'>): RawBuilder<unknown> =>
  name === undefined ? sql`true` : sql`s.name = ${name}`;

/** A condition on the rows `s`: their type counts as a whole. */
export const ofTypes = (places: Places | undefined): RawBuilder<unknown> =>
  places === undefined ? sql`true` : sql`s.type = any(${places.types}::text[])`;

/** A condition on the rows `s`: they are of a destination that counts by itself. */
export const ofSingle = ({ single }: Places): RawBuilder<unknown> => sql`
  (s.type, s.name) in (
    select * from unnest(${single.map(({ type }) => type)}::text[], ${single.map(({ name }) => name)}::text[]))`;

/** A condition on the rows `s`: they are of a destination that counts. */
export const ofPlaces = (places: Places | undefined): RawBuilder<unknown> =>
  places === undefined ? sql`true` : sql`(${ofTypes(places)} or ${ofSingle(places)})`;
