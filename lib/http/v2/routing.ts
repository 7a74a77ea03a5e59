import { ApiError, badRequest, notFound } from '#path/jsonapi/error.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';

/** The row of a request, and its parameters. */
export interface Found {
  readonly row: ApiRow;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds the row of a path. @throws ApiError 400 for a path that cannot be decoded, 404 when no row has the path and the method */
export type Route = (method: string, path: string) => Found;

interface End {
  readonly row: ApiRow;
  readonly names: readonly string[];
}

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  readonly rows: Map<string, End>;
}

/**
 * Compiles rows to a tree of segments. Literals take precedence over parameters.
 *
 * @throws Error when two rows have the same method and paths (a programming error)
 */
export function compileRoutes(rows: readonly ApiRow[]): Route {
  const root = emptyNode();
  for (const row of rows) add(root, row);
  return (method, path) => {
    const values: string[] = [];
    const found = find(root, segmentsOf(path).map(decoded), 0, method === 'HEAD' ? 'GET' : method, values);
    if (found === undefined) throw notFound();
    return { row: found.row, parameters: Object.fromEntries(found.names.map((name, at) => [name, values[at] ?? ''])) };
  };
}

/** Far more segments than any row has. */
const segmentsMax = 32;

const emptyNode = (): Node => ({ literals: new Map(), parameter: undefined, rows: new Map() });

/** A trailing slash is ignored. */
const segmentsOf = (path: string): readonly string[] =>
  path
    .replace(/\/$/, '')
    .split('/', segmentsMax + 1)
    .slice(1);

function add(root: Node, row: ApiRow): void {
  const segments = segmentsOf(row.path);
  let node = root;
  for (const segment of segments) {
    const isParameter = segment.startsWith(':');
    const child = (isParameter ? node.parameter : node.literals.get(segment)) ?? emptyNode();
    if (isParameter) node.parameter = child;
    else node.literals.set(segment, child);
    node = child;
  }
  if (node.rows.has(row.method)) throw new Error(`two rows have ${row.method} ${row.path}`);
  const names = segments.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1));
  node.rows.set(row.method, { row, names });
}

function find(
  node: Node,
  segments: readonly string[],
  depth: number,
  method: string,
  values: string[],
): End | undefined {
  const segment = segments[depth];
  if (segment === undefined) return node.rows.get(method);
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : find(literal, segments, depth + 1, method, values);
  if (found !== undefined || node.parameter === undefined || segment === '') return found;
  values.push(segment);
  const below = find(node.parameter, segments, depth + 1, method, values);
  if (below === undefined) values.pop();
  return below;
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new ApiError(400, badRequest('the path has an invalid percent-encoding').problems, { cause });
  }
}
