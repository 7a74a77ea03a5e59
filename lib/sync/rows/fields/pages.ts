import { badField } from '#core/errors.ts';
import { text } from '#path/fields.ts';
import { continueWith, type Page, pageFieldsOf } from '#path/listing.ts';

/** Without these parameters, lists show at most this many entries, with a warning when there are more. */
export const shownMax = 100_000;

const positionCharactersMax = 4_096;

/** The fields of the lists of `sys/sync`. Their order is that of an index, so a page has a position instead of a last key. */
export const positionFields = pageFieldsOf(
  'Return only entries after this position: `next` of the page before',
  `Maximum number of entries; 0 for ${shownMax}. With after or limit the reply has \`next\` unless it is the last page, and no totals`,
  text(positionCharactersMax),
);

/** Whether a request asks for a part of a list. */
export const asksForPart = ({ after, limit }: Page): boolean => after !== '' || limit > 0;

/** How many entries a page has at most. One more is read, which shows whether there is a next page. */
export const sizeOf = ({ limit }: Page): number => (limit > 0 ? Math.min(limit, shownMax) : shownMax);

/** A page of rows that were read with a limit of one more than it has. */
export function pageOf<R>(rows: readonly R[], page: Page, positionOf: (last: R) => string) {
  const size = sizeOf(page);
  const shown = rows.slice(0, size);
  const last = rows.length > size ? shown.at(-1) : undefined;
  if (last === undefined) return { shown, more: {}, warnings: [] };
  const next = positionOf(last);
  return { shown, more: { next }, warnings: page.limit > 0 && page.limit <= shownMax ? [] : [continueWith(next)] };
}

/** Fields of lists that are short enough to be read whole. */
export const shortFields = pageFieldsOf(
  'Return only entries after this position: `next` of the page before',
  'Maximum number of entries; 0 for all. The reply has `next` unless it is the last page',
  text(positionCharactersMax),
);

interface Dated {
  readonly id: string;
  readonly created_at: Date;
}

/** The place of an entry in a list whose newest entries are first. */
export const datedPosition = ({ id, created_at }: Dated): string => `${created_at.toISOString()}/${id}`;

/** The entries of such a list after a position, whose own entry may have been deleted meanwhile. */
export function afterDated<R extends Dated>(all: readonly R[], { after }: Page): readonly R[] {
  if (after === '') return all;
  const [time, id] = partsOf(after);
  const at = all.findIndex((one) => one.id === id);
  if (at >= 0) return all.slice(at + 1);
  const created = new Date(time);
  if (Number.isNaN(created.getTime())) throw invalidPosition();
  return all.filter(({ created_at }) => created_at < created);
}

/** The two parts of a position, of which only the second may contain slashes. */
export function partsOf(after: string): readonly [string, string] {
  const at = after.indexOf('/');
  if (at < 0) throw invalidPosition();
  return [after.slice(0, at), after.slice(at + 1)];
}

export const invalidPosition = () =>
  badField('after', 'after is not a position in this list: send `next` of an earlier reply, or leave it out');
