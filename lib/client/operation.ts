/** A request that the client makes. A test compares all of them with the OpenAPI documents of the server. */
export interface Operation {
  readonly method: 'GET' | 'LIST' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the root of its service, with parameters in braces: `sys/policies/acl/{name}`. */
  readonly path: string;
  /** Names of the fields of the body, or of the query of a GET or DELETE. */
  readonly fields?: readonly string[];
  /** `v2` is the workspace service. */
  readonly service?: 'v1' | 'v2';
}

type ParametersIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [key in Name]: string } & ParametersIn<Rest>
  : unknown;

/** The parameters of the path of an operation. */
export type Parameters<O extends Operation> = ParametersIn<O['path']>;

/** The fields that an operation takes. */
export type Fields<O extends Operation, V> = O extends { readonly fields: readonly (infer Name extends string)[] }
  ? { readonly [key in Name]?: V | undefined }
  : undefined;

/** The path with its parameters, whose slashes stay. */
export function filledPath(path: string, parameters: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    trimmed(parameters[name] ?? '')
      .split('/')
      .map(encoded)
      .join('/'),
  );
}

const trimmed = (text: string): string => text.replace(/^\/+|\/+$/g, '');

/** A segment of dots would be resolved away by the parser of addresses, and the request would be another one. */
function encoded(segment: string): string {
  if (segment === '.' || segment === '..') throw new TypeError(`a path cannot have the segment "${segment}"`);
  return encodeURIComponent(segment);
}
