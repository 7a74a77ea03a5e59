import type { Verb, Vocabulary } from '../contract/request.ts';
import { type NameOperation, operationNames } from './operation-ids.ts';
import { markName, operationObject } from './operation-object.ts';
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
  /** In front of the paths of the items, without a slash at its end: `/secret`, or empty. */
  readonly prefix: string;
  readonly items: readonly PathItem[];
  /** Groups operations for people: `system`, `secrets`, `auth`, `identity`. */
  readonly tag: string;
  /** A parameter that stands in the prefix, with what it may be replaced by. */
  readonly parameter?: { readonly name: string; readonly example: string };
}

/** The document of these paths, which are relative to the path `at`; both have the vocabulary's names. */
export function openApiDocument(at: string, items: readonly PathItem[], vocabulary: Vocabulary): OpenApiDocument {
  const part = { prefix: '', items, tag: tagOf(at) };
  return documentOf(`Paths are relative to /v1/${at}`, [part], vocabulary, operationNames());
}

/** The document of many prefixes, paths relative to `/v1`. `context` is put behind the id of each operation. */
export const wholeDocument = (
  parts: readonly DocumentPart[],
  vocabulary: Vocabulary,
  context: string,
): OpenApiDocument => documentOf('Paths are relative to /v1', parts, vocabulary, operationNames(context));

/** The group of what is below a path or mount. */
export function tagOf(path: string): string {
  const [first = ''] = path.split('/');
  if (first === 'sys') return 'system';
  return first === 'auth' || first === 'identity' ? first : 'secrets';
}

function documentOf(
  description: string,
  parts: readonly DocumentPart[],
  vocabulary: Vocabulary,
  nameOf: NameOperation,
): OpenApiDocument {
  const paths = parts.flatMap((part) =>
    part.items.map((item) => {
      const path = part.prefix + item.path;
      return [path, pathItem(item, part, vocabulary, (verb) => nameOf(verb, path))] as const;
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
  return ownDocument(made, vocabulary);
}

const mountParameter = ({ name, example }: NonNullable<DocumentPart['parameter']>): object => ({
  name,
  in: 'path',
  required: true,
  description: 'Path of the mount',
  schema: { type: 'string', default: example },
});
