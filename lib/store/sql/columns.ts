import type { ColumnType, GeneratedAlways } from 'kysely';
import type { Generated, Kind, WithDefault } from './kinds.ts';
import { mismatchOf } from './mismatch.ts';

/** The columns of a table or of a result, by name. */
export type Columns = Readonly<Record<string, Kind<unknown, never>>>;

/** The type of a row with these columns when it is read. */
export type RowOf<C extends Columns> = { readonly [Name in keyof C]: ValueOf<C[Name]> };

/** A table with these columns, as Kysely sees it. */
export type TableOf<C extends Columns> = { readonly [Name in keyof C]: ColumnOf<C[Name]> };

type ValueOf<K> = K extends Kind<infer Read, never> ? Read : never;

type ColumnOf<K> =
  K extends Generated<Kind<infer Read, never>>
    ? GeneratedAlways<Read>
    : K extends WithDefault<Kind<infer Read, infer Written>>
      ? ColumnType<Read, Written | undefined, Written>
      : K extends Kind<infer Read, infer Written>
        ? ColumnType<Read, Written, Written>
        : never;

/** A JSON object with these columns, such as `to_jsonb` of a row. In JSON, a time is a string. */
export function objectOf<C extends Columns>(columns: C): Kind<RowOf<C>, string> {
  return {
    name: 'json object with the declared columns',
    is: (value): value is RowOf<C> =>
      typeof value === 'object' && value !== null && mismatchOf(columns, { rows: [value] }) === undefined,
  };
}

/** A JSON array of such objects, such as `json_agg` of rows. */
export function objectsOf<C extends Columns>(columns: C): Kind<readonly RowOf<C>[], string> {
  const { is } = objectOf(columns);
  return {
    name: 'json array of objects with the declared columns',
    is: (value): value is readonly RowOf<C>[] => Array.isArray(value) && value.every(is),
  };
}

/** A subset of the columns. */
export function pick<C extends Columns, const Name extends keyof C>(
  columns: C,
  ...names: readonly Name[]
): Pick<C, Name> {
  const picked: Partial<Pick<C, Name>> = {};
  for (const name of names) picked[name] = columns[name];
  return picked as Pick<C, Name>;
}
