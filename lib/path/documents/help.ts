import type { z } from 'zod';
import type { Verb, Vocabulary } from '../contract/request.ts';
import type { Row } from '../contract/row.ts';
import { fieldMeta, isOptional } from '../meta.ts';
import { pathName, type TypeNames } from '../vocabulary.ts';
import { type OpenApiDocument, openApiDocument } from './openapi.ts';
import { ownText } from './own-text.ts';
import { type PathItem, pathItemsUnder } from './path-items.ts';
import { typeOf } from './schema.ts';

/** The body of `?help=1`. */
export interface Help {
  /** Markdown. */
  readonly help: string;
  readonly see_also: null;
  readonly openapi: OpenApiDocument;
}

/**
 * The help of a path (relative to its mount) and of the paths under it. `fullPath` is the same path below `/v1/`.
 * Undefined when no row matches the path or a path under it.
 */
export function helpOf(
  names: TypeNames,
  rows: readonly Row[],
  path: string,
  fullPath: string,
  vocabulary: Vocabulary = 'canonical',
): Help | undefined {
  const items = pathItemsUnder(names, rows, path, vocabulary);
  if (items.length === 0) return undefined;
  // This path is the only part of the help that a user chose.
  const at = pathName(names, fullPath, vocabulary);
  return {
    help: `# ${at}\n\n${ownText(names, markdown(items), vocabulary)}`,
    see_also: null,
    openapi: openApiDocument(names, at, items, vocabulary),
  };
}

const methods = { read: 'GET', list: 'LIST', write: 'POST', patch: 'PATCH', delete: 'DELETE' } satisfies Record<
  Verb,
  string
>;

function markdown(items: readonly PathItem[]): string {
  const itself = items.find((item) => item.path === '/');
  const under = items.filter((item) => item !== itself);
  return [
    ...(itself === undefined ? [] : ofPath(itself)),
    ...(under.length === 0 ? [] : ['## Paths under this one', under.map(line).join('\n')]),
  ].join('\n\n');
}

function ofPath(item: PathItem): readonly string[] {
  const texts = new Set(item.operations.map(({ row }) => row.help));
  return [...texts, ...item.operations.flatMap(ofOperation)];
}

function ofOperation({ verb, operation }: PathItem['operations'][number]): readonly string[] {
  const marks = [
    ...(operation.marks.unauthenticated ? ['Needs no token.'] : []),
    ...(operation.marks.sudo ? ['Needs the sudo capability.'] : []),
  ];
  const fields = Object.entries(operation.fields);
  return [
    `## ${methods[verb]}: ${operation.summary}`,
    ...(marks.length > 0 ? [marks.join(' ')] : []),
    ...(fields.length > 0 ? [fieldTable(fields)] : []),
  ];
}

function fieldTable(fields: readonly (readonly [string, z.ZodType])[]): string {
  const rows = fields.map(([name, field]) => {
    return `| ${name} | ${typeOf(field)} | ${isOptional(field) ? 'no' : 'yes'} | ${cell(meaningOf(field))} |`;
  });
  return ['| field | type | required | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function meaningOf(field: z.ZodType): string {
  const { description = '', sensitive, immutable, routes, kept } = fieldMeta(field);
  const marks = [
    ...(sensitive ? ['Never shown.'] : []),
    ...(immutable ? ['Fixed once set.'] : []),
    ...(kept ? ['A write that omits it keeps its value; null or an empty text resets it.'] : []),
    ...(routes && !immutable ? ['To change it, send the stored sensitive fields again.'] : []),
  ];
  if (marks.length === 0 || description === '') return description + marks.join(' ');
  return [description.replace(/\.?$/, '.'), ...marks].join(' ');
}

/** A table cell is a single line, and an unescaped bar would end it. */
const cell = (text: string): string => text.replaceAll('\n', ' ').replaceAll('|', '\\|');

function line(item: PathItem): string {
  const first = item.operations[0];
  const verbs = item.operations.map(({ verb }) => methods[verb]).join(', ');
  return `- \`${item.path}\` (${verbs}): ${first?.row.help ?? ''}`;
}
