/** An operation as the OpenAPI document describes it. */
export interface Described {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path below `/v1/`, with parameters in braces. */
  readonly path: string;
  /** The fields of the body. */
  readonly fields: readonly Field[];
  readonly query: readonly Field[];
}

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface OperationObject {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const methods = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;

/** All operations of an OpenAPI document of the service. */
export function describedBy(document: object): readonly Described[] {
  const { paths } = document as { paths: Record<string, Record<string, OperationObject>> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(methods).flatMap(([key, method]) => {
      const operation = item[key];
      return operation === undefined ? [] : [described(method, path.slice(1), operation)];
    }),
  );
}

function described(method: Described['method'], path: string, operation: OperationObject): Described {
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? {};
  const fields = Object.entries(schema.properties ?? {}).map(([name, { type = 'any' }]) => ({
    name,
    type,
    required: schema.required?.includes(name) === true,
  }));
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required = false, schema: { type = 'any' } }) => ({ name, type, required }));
  return { method, path, fields, query };
}

/** The names of all fields of an operation, wherever they stand in a request. */
export const fieldsOf = ({ path, fields, query }: Described): readonly string[] => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  ...[...fields, ...query].map(({ name }) => name),
];

export const shown = ({ method, path }: Pick<Described, 'method' | 'path'>): string => `${method} ${path}`;
