/** The fields of a request as sent. */
export type Data = Readonly<Record<string, unknown>>;

export const noData: Data = Object.freeze({});

/** Query parameters that are not fields but instructions to the server. */
const reserved: ReadonlySet<string> = new Set(['help', 'list', 'scan']);

/** The fields of a query. */
export const queryFields = (query: URLSearchParams): Data => fieldsOf(query, reserved);

/** The names of the fields of a query. */
export const fieldNames = (query: URLSearchParams): readonly string[] =>
  query.size === 0 ? noNames : [...new Set(query.keys())].filter((name) => !reserved.has(name));
const noNames: readonly string[] = [];

/** The parameters of a query or a form as fields; a repeated parameter becomes a list. */
export function fieldsOf(parameters: URLSearchParams, reserved: ReadonlySet<string> = new Set()): Data {
  if (parameters.size === 0) return noData;
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of parameters) {
    if (reserved.has(name)) continue;
    const there = fields.get(name);
    if (Array.isArray(there)) there.push(value);
    else fields.set(name, there === undefined ? value : [there, value]);
  }
  return Object.fromEntries(fields);
}
