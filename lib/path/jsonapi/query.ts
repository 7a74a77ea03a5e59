import { ApiError } from './error.ts';
import { asksForPage, type Page, type PageSizes, pageOf } from './page.ts';

/** A field of the query string: how it is read, and how the OpenAPI document shows it. */
export interface QueryField<T> {
  readonly parameters: readonly QueryParameter[];
  /** @throws ApiError 400 */
  read(query: URLSearchParams): T;
}

export interface QueryParameter {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  /** An OpenAPI schema; absent: a string. */
  readonly schema?: object;
}

/** The query of a row, by the names that its handler uses. */
export type QueryFields = Readonly<Record<string, QueryField<unknown>>>;

export type QueryOf<Q extends QueryFields> = {
  readonly [K in keyof Q]: Q[K] extends QueryField<infer T> ? T : never;
};

/** All fields of a query. @throws ApiError 400 */
export const readQuery = (fields: QueryFields, query: URLSearchParams): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.read(query)]));

const whole = { type: 'integer', minimum: 1 };
const pageParameters: readonly QueryParameter[] = [
  { name: 'page[number]', description: 'Number of the page, from 1', schema: whole },
  { name: 'page[size]', description: 'Entries on a page', schema: whole },
];

/** `page[number]` and `page[size]`. */
export const paged = (sizes?: PageSizes): QueryField<Page> => ({
  parameters: pageParameters,
  read: (query) => pageOf(query, sizes),
});

/** The requested page of a list; undefined for the complete list. */
export const pagedIfAsked: QueryField<Page | undefined> = {
  parameters: pageParameters,
  read: (query) => (asksForPage(query) ? pageOf(query) : undefined),
};

/** A text; null when the request does not have it. */
export const textQuery = (name: string, description?: string): QueryField<string | null> => ({
  parameters: [{ name, ...(description === undefined ? {} : { description }) }],
  read: (query) => query.get(name),
});

/** A comma-separated list; empty entries are ignored. */
export const listQuery = (name: string, description?: string): QueryField<readonly string[]> => ({
  parameters: [{ name, ...(description === undefined ? {} : { description }) }],
  read: (query) =>
    (query.get(name) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
});

/** Parameters that a function reads together, such as the filters of a resource. */
export const readBy = <T>(
  parameters: readonly (string | QueryParameter)[],
  read: (query: URLSearchParams) => T,
): QueryField<T> => ({
  parameters: parameters.map((one) => (typeof one === 'string' ? { name: one } : one)),
  read,
});

/** `include`: names of related resources, with `_` or `-`. @throws ApiError 400 for an unknown name */
export const includes = <const N extends string>(known: readonly N[]): QueryField<ReadonlySet<N>> => ({
  parameters: [{ name: 'include', description: `Related resources to include: ${known.join(', ')}` }],
  read: (query) => includesIn(query, known),
});

/** The same for a given query. */
export function includesIn<N extends string>(query: URLSearchParams, known: readonly N[]): ReadonlySet<N> {
  const names = (query.get('include') ?? '').split(',').map((name) => name.trim().replaceAll('-', '_'));
  return new Set(names.filter((name) => name !== '').map((name) => knownName(name, known)));
}

function knownName<N extends string>(name: string, known: readonly N[]): N {
  const found = known.find((one) => one === name);
  if (found !== undefined) return found;
  const detail = `The include parameter may have ${known.join(', ')}`;
  throw new ApiError(400, { title: 'Invalid include parameter', detail });
}
