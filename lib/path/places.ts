import { ownText } from './documents/own-text.ts';
import { nameRule, parsePattern, type Segment } from './pattern.ts';
import type { Operation, Row, Verb, Vocabulary } from './row.ts';

/** One path at or under a queried one, with the operations of all rows that have it. */
export interface Place {
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
export function placesUnder(
  rows: readonly Row[],
  queried: string,
  vocabulary: Vocabulary = 'canonical',
): readonly Place[] {
  const asked = queried.split('/').filter((segment) => segment !== '');
  const found = rows.flatMap((row) => {
    const place = relative(parsePattern(row.pattern), asked);
    return place === undefined ? [] : [{ row, ...place, path: ownText(place.path, vocabulary) }];
  });
  found.sort((one, other) => one.bound.length - other.bound.length);
  const places = new Map<string, Place>();
  for (const { row, ...place } of found) places.set(place.path, merged(places.get(place.path), place, row));
  return [...places.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

type Standing = Pick<Place, 'path' | 'open' | 'bound'>;

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

function merged(place: Place | undefined, standing: Standing, row: Row): Place {
  const operations = [...(place?.operations ?? [])];
  for (const verb of ['read', 'list', 'write', 'patch', 'delete'] as const) {
    const operation = row.operations[verb];
    if (operation === undefined || operations.some((there) => there.verb === verb)) continue;
    operations.push({ row, verb, operation });
  }
  return { ...standing, operations };
}
