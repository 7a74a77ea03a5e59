import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';

/** A row of the API, as the OpenAPI document of its service describes it. */
export interface Row {
  readonly service: 'v1' | 'v2';
  readonly method: string;
  /** From the root of the server, with parameters in braces: `/v1/sys/mounts/{path}`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly parameters: readonly Value[];
  /** The schema of its body; undefined without one. */
  readonly body: Value | undefined;
  /** The body is a file. */
  readonly takesFile: boolean;
  /** It needs no token. */
  readonly isOpen: boolean;
  readonly needsSudo: boolean;
  /** A write of it may also create. */
  readonly creates: boolean;
  /** What the caller needs in the workspace service, such as `admin` of `workspace`. */
  readonly needs: readonly (readonly [noun: string, right: string])[];
}

export const idOf = ({ method, path }: Pick<Row, 'method' | 'path'>): string => `${method} ${path}`;

const listIn = (value: Value | undefined, name: string): readonly Value[] => {
  const found = memberOf(value, name);
  return Array.isArray(found) ? found : [];
};

const methods = ['get', 'post', 'patch', 'delete', 'put'] as const;

/** All rows of a document, in its order. */
export function rowsIn(document: Value | undefined, service: Row['service']): readonly Row[] {
  const paths = memberOf(document, 'paths');
  return Object.entries(isObject(paths) ? paths : {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = memberOf(item, method);
      return operation === undefined ? [] : [rowOf(service, { path, item, method, operation })];
    }),
  );
}

interface Described {
  readonly path: string;
  readonly item: Value | undefined;
  readonly method: string;
  readonly operation: Value;
}

function rowOf(service: Row['service'], { path, item, method, operation }: Described): Row {
  const content = memberOf(operation, 'requestBody', 'content');
  const [type, body] = Object.entries(isObject(content) ? content : {})[0] ?? [];
  const security = memberOf(operation, 'security');
  const needs = memberOf(operation, 'x-service-needs');
  return {
    service,
    method: method.toUpperCase(),
    path: service === 'v1' ? `/v1${path}` : path,
    summary: textOf(operation, 'summary'),
    tag: textOf(listIn(operation, 'tags')[0]),
    parameters: [...listIn(item, 'parameters'), ...listIn(operation, 'parameters')],
    body: memberOf(body, 'schema'),
    takesFile: type === 'application/octet-stream',
    isOpen: Array.isArray(security) && security.length === 0,
    needsSudo: memberOf(operation, 'x-service-sudo') === true,
    creates: memberOf(item, 'x-service-createSupported') === true,
    needs: Object.entries(isObject(needs) ? needs : {}).map(([noun, right]) => [noun, textOf(right)] as const),
  };
}

/** The rows that have each word in their method, path or summary. */
export function matching(rows: readonly Row[], wanted: string): readonly Row[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ method, path, summary }) => {
    const text = `${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
