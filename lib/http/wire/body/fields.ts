/** The fields of a request, as they were sent. */
export type Data = Readonly<Record<string, unknown>>;

export const noData: Data = Object.freeze({});

/** Query parameters that speak to the server and are no fields. */
const reserved: ReadonlySet<string> = new Set(['help', 'list', 'scan']);

/** The fields that a query names. */
export const queryFields = (query: URLSearchParams): Data => fieldsOf(query, reserved);

/** Their names alone. */
export const fieldNames = (query: URLSearchParams): readonly string[] =>
  query.size === 0 ? noNames : [...new Set(query.keys())].filter((name) => !reserved.has(name));
const noNames: readonly string[] = [];

/** Parameters of a query or a form as fields: a repeated one is a list. */
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
