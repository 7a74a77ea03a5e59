import type { Verb, Vocabulary } from '../contract/request.ts';
import type { Operation, Row } from '../contract/row.ts';
import { nameRule, parsePattern, type Segment } from '../tree.ts';
import type { TypeNames } from '../vocabulary.ts';
import { ownText } from './own-text.ts';

/** A path at or under the queried one, with the operations of all rows that match it. */
export interface PathItem {
  /** Relative to the queried path, with parameters in braces: `/`, `/{name}/associations`. */
  readonly path: string;
  /** Parameters in `path`; the others have a value in the queried path. */
  readonly open: readonly string[];
  readonly bound: readonly string[];
  readonly operations: readonly { readonly row: Row; readonly verb: Verb; readonly operation: Operation }[];
}

/**
 * Every path of the rows that equals `queried` (relative to the mount) or is under it, with the names of the vocabulary and sorted
 * by them. Of several rows the more specific one comes first.
 */
export function pathItemsUnder(
  names: TypeNames,
  rows: readonly Row[],
  queried: string,
  vocabulary: Vocabulary = 'canonical',
): readonly PathItem[] {
  const asked = queried.split('/').filter((segment) => segment !== '');
  const found = rows.flatMap((row) => {
    const item = relative(parsePattern(row.pattern), asked);
    return item === undefined ? [] : [{ row, ...item, path: ownText(names, item.path, vocabulary) }];
  });
  found.sort((one, other) => one.bound.length - other.bound.length);
  const items = new Map<string, PathItem>();
  for (const { row, ...item } of found) items.set(item.path, merged(items.get(item.path), item, row));
  return [...items.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

type Place = Pick<PathItem, 'path' | 'open' | 'bound'>;

function relative(segments: readonly Segment[], asked: readonly string[]): Place | undefined {
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

function merged(item: PathItem | undefined, place: Place, row: Row): PathItem {
  const operations = [...(item?.operations ?? [])];
  for (const verb of ['read', 'list', 'write', 'patch', 'delete'] as const) {
    const operation = row.operations[verb];
    if (operation === undefined || operations.some((known) => known.verb === verb)) continue;
    operations.push({ row, verb, operation });
  }
  return { ...place, operations };
}
