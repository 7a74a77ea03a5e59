import type { Verb, Vocabulary } from '../contract/request.ts';
import type { Operation, Row } from '../contract/row.ts';
import { nameRule, parsePattern, type Segment } from '../pattern.ts';
import { ownText } from './own-text.ts';

/** One path at or under a queried one, with the operations of all rows that have it. */
export interface PathItem {
  /** Relative to the queried path, parameters in braces: `/`, `/{name}/associations`. */
  readonly path: string;
  /** Parameters that stand in `path`; others were given by the queried path. */
  readonly open: readonly string[];
  readonly bound: readonly string[];
  readonly operations: readonly { readonly row: Row; readonly verb: Verb; readonly operation: Operation }[];
}

/**
 * Every path of the rows that is `queried` (relative to the mount) or lies under it, the more specific row first, with
 * the names of the vocabulary and in their order.
 */
export function pathItemsUnder(
  rows: readonly Row[],
  queried: string,
  vocabulary: Vocabulary = 'canonical',
): readonly PathItem[] {
  const asked = queried.split('/').filter((segment) => segment !== '');
  const found = rows.flatMap((row) => {
    const item = relative(parsePattern(row.pattern), asked);
    return item === undefined ? [] : [{ row, ...item, path: ownText(item.path, vocabulary) }];
  });
  found.sort((one, other) => one.bound.length - other.bound.length);
  const items = new Map<string, PathItem>();
  for (const { row, ...item } of found) items.set(item.path, merged(items.get(item.path), item, row));
  return [...items.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

type Standing = Pick<PathItem, 'path' | 'open' | 'bound'>;

function relative(segments: readonly Segment[], asked: readonly string[]): Standing | undefined {
  const bound: string[] = [];
  for (const [index, text] of asked.entries()) {
    const segment = segments[index];
    if (segment === undefined || !takes(segment, text)) return undefined;
    if (segment.kind !== 'literal') bound.push(segment.name);
    if (segment.kind === 'rest') return { path: '/', open: [], bound };
  }
  const rest = segments.slice(asked.length);
  const open = rest.flatMap((segment) => (segment.kind === 'literal' ? [] : [segment.name]));
  return { path: `/${rest.map(shown).join('/')}`, open, bound };
}

function takes(segment: Segment, text: string): boolean {
  if (segment.kind === 'literal') return segment.text === text;
  return segment.kind === 'rest' || nameRule.test(text);
}

const shown = (segment: Segment): string => (segment.kind === 'literal' ? segment.text : `{${segment.name}}`);

function merged(item: PathItem | undefined, standing: Standing, row: Row): PathItem {
  const operations = [...(item?.operations ?? [])];
  for (const verb of ['read', 'list', 'write', 'patch', 'delete'] as const) {
    const operation = row.operations[verb];
    if (operation === undefined || operations.some((there) => there.verb === verb)) continue;
    operations.push({ row, verb, operation });
  }
  return { ...standing, operations };
}
