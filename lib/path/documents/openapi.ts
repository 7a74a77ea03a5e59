import type { Verb, Vocabulary } from '../contract/request.ts';
import type { TypeNames } from '../vocabulary.ts';
import { markName, type NameOperation, operationNames, operationObject } from './operation-object.ts';
import { ownDocument } from './own-text.ts';
import type { PathItem } from './path-items.ts';
import { componentsOf, tokenNeeded } from './replies.ts';

/** An OpenAPI 3.0 document. */
export interface OpenApiDocument {
  readonly openapi: '3.0.3';
  readonly info: { readonly title: string; readonly description: string; readonly version: string };
  readonly paths: Readonly<Record<string, object>>;
  readonly components: object;
  readonly security: readonly object[];
}

/** The paths below one prefix. */
export interface DocumentPart {
  /** Precedes the paths of the items, without a trailing slash: `/secret`, or empty. */
  readonly prefix: string;
  readonly items: readonly PathItem[];
  /** Groups the operations in the document: `system`, `secrets`, `auth`, `identity`. */
  readonly tag: string;
  /** A parameter in the prefix, with an example of its value. */
  readonly parameter?: { readonly name: string; readonly example: string };
}

/** The document of these paths, which are relative to the path `at`. Both use the names of the vocabulary. */
export function openApiDocument(
  names: TypeNames,
  at: string,
  items: readonly PathItem[],
  vocabulary: Vocabulary,
): OpenApiDocument {
  const part = { prefix: '', items, tag: tagOf(at) };
  return documentOf(names, `Paths are relative to /v1/${at}`, [part], vocabulary, operationNames());
}

/** The document of several prefixes, with paths relative to `/v1`. `context` is appended to the id of each operation. */
export const wholeDocument = (
  names: TypeNames,
  parts: readonly DocumentPart[],
  vocabulary: Vocabulary,
  context: string,
): OpenApiDocument => documentOf(names, 'Paths are relative to /v1', parts, vocabulary, operationNames(context));

/** The tag of the operations below a path or mount. */
export function tagOf(path: string): string {
  const [first = ''] = path.split('/');
  if (first === 'sys') return 'system';
  return first === 'auth' || first === 'identity' ? first : 'secrets';
}

function documentOf(
  names: TypeNames,
  description: string,
  parts: readonly DocumentPart[],
  vocabulary: Vocabulary,
  nameOf: NameOperation,
): OpenApiDocument {
  const paths = parts.flatMap((part) =>
    part.items.map((item) => {
      const path = part.prefix + item.path;
      return [path, pathItem(names, item, part, vocabulary, (verb) => nameOf(verb, path))] as const;
    }),
  );
  return {
    openapi: '3.0.3',
    info: { title: 'Keyferry', description, version: '1' },
    paths: Object.fromEntries(paths),
    components: componentsOf(vocabulary),
    security: tokenNeeded,
  };
}

const methods = { read: 'get', list: 'get', write: 'post', patch: 'patch', delete: 'delete' } satisfies Record<
  Verb,
  string
>;

function pathItem(
  names: TypeNames,
  item: PathItem,
  { tag, parameter }: DocumentPart,
  vocabulary: Vocabulary,
  nameOf: (verb: Verb) => string,
): object {
  const { operations } = item;
  const first = operations[0];
  const reads = operations.some(({ verb }) => verb === 'read');
  const shown = operations.filter(({ verb }) => verb !== 'list' || !reads);
  const made = {
    ...(first === undefined ? {} : { description: first.row.help }),
    ...(operations.some(({ row, verb }) => verb === 'write' && row.exists)
      ? { [markName('createSupported', vocabulary)]: true }
      : {}),
    ...(parameter === undefined ? {} : { parameters: [mountParameter(parameter)] }),
    ...Object.fromEntries(
      shown.map((entry) => [
        methods[entry.verb],
        { operationId: nameOf(entry.verb), tags: [tag], ...operationObject(entry, item, vocabulary) },
      ]),
    ),
  };
  return ownDocument(names, made, vocabulary);
}

const mountParameter = ({ name, example }: NonNullable<DocumentPart['parameter']>): object => ({
  name,
  in: 'path',
  required: true,
  description: 'Path of the mount',
  schema: { type: 'string', default: example },
});
