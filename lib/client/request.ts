import { filledPath, type Operation } from './operation.ts';
import { isObject, type Value } from './wire/json.ts';

/** A request without a row of its own in `operations/`. */
export interface AnyRequest {
  readonly method: string;
  /** From the root of the server, such as `v1/sys/mounts`. */
  readonly path: string;
  readonly body?: Value | undefined;
  readonly query?: Readonly<Record<string, string>>;
}

const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The request of an operation: its fields go into the body or, of a GET or DELETE, into the query. */
export function requestOf(
  operation: Operation,
  parameters: Readonly<Record<string, string>>,
  fields?: Value,
): AnyRequest {
  const root = operation.service === 'v2' ? 'api/v2' : 'v1';
  const path = `${root}/${filledPath(operation.path, parameters)}`;
  if (withBody.has(operation.method)) return { method: operation.method, path, body: fields };
  const query = Object.entries(isObject(fields) ? fields : {}).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)] as const],
  );
  return { method: operation.method, path, query: Object.fromEntries(query) };
}

/** LIST goes as GET, which every proxy passes on. */
export const verbOf = ({ method, path }: AnyRequest) => ({
  method: method === 'LIST' ? 'GET' : method,
  path: `/${path.replace(/^\/+/, '')}`,
});

export function queryOf({ method, path, query }: AnyRequest): string {
  const search = new URLSearchParams({ ...query, ...(method === 'LIST' ? { list: 'true' } : {}) }).toString();
  if (search === '') return '';
  return `${path.includes('?') ? '&' : '?'}${search}`;
}

export const isWorkspaces = (path: string): boolean => /^\/?api\//.test(path);
