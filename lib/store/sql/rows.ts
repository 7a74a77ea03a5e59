import {
  type KyselyPlugin,
  type QueryResult,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type UnknownRow,
} from 'kysely';
import type pg from 'pg';
import { checking } from './checking.ts';
import type { Columns, RowOf } from './columns.ts';
import { int, type Kind } from './kinds.ts';
import { mismatchOf } from './mismatch.ts';

/** A template tag like `sql`, for statements that return such rows. */
export type RowsTag<Row> = (text: TemplateStringsArray, ...values: readonly unknown[]) => RawBuilder<Row>;

/**
 * Builds a statement whose rows have these columns: ``rowsOf({ id: bigintText })`select id from associations` ``. The type of a
 * row is inferred from the columns, and tests check every result against them. Outside tests it behaves as `sql`.
 */
export function rowsOf<C extends Columns>(columns: C): RowsTag<RowOf<C>> {
  if (checking() === undefined) return sql<RowOf<C>>;
  const plugin = checkOf(() => columns);
  return (text, ...values) => sql<RowOf<C>>(text, ...values).withPlugin(plugin);
}

/** A row of a page, with the total number of rows. */
type PageRow<C extends Columns> = { readonly total: number } & (RowOf<C> | { readonly id: null });

/**
 * Like `rowsOf` for a page of rows with the total number of rows as `total`. An empty page consists of one row whose other columns are
 * null.
 */
export function pageRowsOf<C extends Columns & { readonly id: Kind<string> }>(columns: C): RowsTag<PageRow<C>> {
  if (checking() === undefined) return sql<PageRow<C>>;
  const nothing = Object.fromEntries(Object.keys(columns).map((name) => [name, isNull]));
  const plugin = checkOf(({ rows }) => ({ ...(rows[0]?.['id'] === null ? nothing : columns), total: int }));
  return (text, ...values) => sql<PageRow<C>>(text, ...values).withPlugin(plugin);
}

const isNull: Kind<null> = { name: 'null', is: (value) => value === null };

/** Like `rowsOf` for a select of the query builder whose columns have narrower types than their table, such as JSON of a known shape. */
export function asRows<C extends Columns, DB, TB extends keyof DB>(
  columns: C,
  select: SelectQueryBuilder<DB, TB, { readonly [Name in keyof C]: unknown }>,
): SelectQueryBuilder<DB, TB, RowOf<C>> {
  const checked = checking() === undefined ? select : select.withPlugin(checkOf(() => columns));
  return checked.$castTo<RowOf<C>>();
}

/**
 * An SQL expression for the query builder, to be assigned to or compared with a column; PostgreSQL checks its type. When it is
 * selected, wrap the query in `asRows`.
 */
export const expressionOf =
  <T>(_kind: Kind<T, never>): RowsTag<T> =>
  (text, ...values) =>
    sql<T>(text, ...values);

/** Like `rowsOf` for a connection that is used without Kysely. */
export async function queryRows<C extends Columns>(
  client: Pick<pg.ClientBase, 'query'>,
  columns: C,
  query: string | pg.QueryConfig,
  values: readonly unknown[] = [],
): Promise<readonly RowOf<C>[]> {
  const result = await client.query<RowOf<C>>(query, [...values]);
  checkResult(columns, result);
  return result.rows;
}

const checkOf = (columnsOf: (result: QueryResult<UnknownRow>) => Columns): KyselyPlugin => ({
  transformQuery: ({ node }) => node,
  async transformResult({ result }) {
    checkResult(columnsOf(result), result);
    return result;
  },
});

/** @throws Error when results are checked and this one does not have these columns */
export function checkResult(columns: Columns, result: { readonly rows: readonly object[] }): void {
  const report = checking();
  if (report === undefined) return;
  const mismatch = mismatchOf(columns, result);
  if (mismatch === undefined) return;
  report(mismatch);
  throw new Error(mismatch);
}
