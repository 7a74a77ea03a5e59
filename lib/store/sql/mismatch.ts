import type { Kind } from './kinds.ts';

type Columns = Readonly<Record<string, Kind<unknown, never>>>;

/** The result of a statement. `pg` names the columns even when there are no rows. */
interface Result {
  readonly rows: readonly object[];
  readonly fields?: readonly { readonly name: string }[];
}

/** Describes the first column that differs from the declaration of the statement, without values; undefined when none does. */
export function mismatchOf(columns: Columns, { rows, fields }: Result): string | undefined {
  const names = fields === undefined ? Object.keys(rows[0] ?? columns) : fields.map(({ name }) => name);
  return mismatchOfNames(columns, names) ?? mismatchOfValues(columns, rows);
}

function mismatchOfNames(columns: Columns, names: readonly string[]): string | undefined {
  const unknown = names.find((name) => !Object.hasOwn(columns, name));
  if (unknown !== undefined) return `the result has a column "${unknown}", which the statement does not declare`;
  const missing = Object.keys(columns).find((name) => !names.includes(name));
  return missing === undefined ? undefined : `the result has no column "${missing}"`;
}

function mismatchOfValues(columns: Columns, rows: readonly object[]): string | undefined {
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      const kind = columns[name];
      if (kind?.is(value) !== true)
        return `the column "${name}" holds ${typeName(value)} where ${kind?.name} is expected`;
    }
  }
  return undefined;
}

/** The type of a value, since the value itself may be a secret. */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? (value.constructor?.name ?? 'object') : typeof value;
}
