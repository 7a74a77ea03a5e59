import { type CompiledQuery, type QueryExecutorProvider, type QueryResult, type RawBuilder, sql } from 'kysely';
import type { Columns, RowOf } from './columns.ts';
import { checkResult, type RowsTag } from './rows.ts';

/** Stands in a statement for a value that each call computes from its input. */
export type From<Input> = (value: (input: Input) => unknown) => RawBuilder<unknown>;

/** A database or a transaction. */
interface Executor extends QueryExecutorProvider {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
}

/** Runs a statement with the values of an input. */
export type Prepared<Input, Row> = (db: Executor, input: Input) => Promise<readonly Row[]>;

/**
 * A statement of a frequent path, written once per process: a call only computes its values. Kysely otherwise builds a tree of the
 * statement for each call and writes its text, which takes longer than sending it. The text must not depend on the input.
 *
 * `build` returns the statement, written with `rowsOf` the same columns.
 */
export function prepared<C extends Columns, Input>(
  columns: C,
  build: (from: From<Input>) => ReturnType<RowsTag<RowOf<C>>>,
): Prepared<Input, RowOf<C>> {
  let written: CompiledQuery | undefined;
  return async (db, input) => {
    written ??= build((value) => sql.val(new Computed(value))).compile(db);
    const parameters = written.parameters.map((one) => (one instanceof Computed ? one.value(input) : one));
    const result = await db.executeQuery<RowOf<C>>({ ...written, parameters });
    checkResult(columns, result);
    return result.rows;
  };
}

class Computed<Input> {
  readonly value: (input: Input) => unknown;

  constructor(value: (input: Input) => unknown) {
    this.value = value;
  }
}
