import type { DocumentReply, PageOfAll } from '../../path/jsonapi/row.ts';
import { withoutLoops } from './loops.ts';

/** The media type of every answer that has a body. */
export const mediaType = 'application/vnd.api+json';

/** Where a list is: what the links to its other pages are made of. */
export interface Location {
  readonly origin: string;
  /** Path and query as they were sent. */
  readonly url: string;
}

/** A document of JSON:API with the page envelope of specification 002, section 2.3. */
export function documentOf(reply: DocumentReply, location: Location): string {
  const { data, included, page } = reply;
  const meta = { ...(page === undefined ? {} : { pagination: paginationOf(page) }), ...reply.meta };
  return JSON.stringify({
    data,
    ...(included === undefined ? {} : { included: withoutLoops(included) }),
    ...(page === undefined ? {} : { links: linksOf(page, location) }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  });
}

/** Of an empty list as well: its first page is its last. */
const totalPages = ({ totalCount, size }: PageOfAll): number => Math.max(1, Math.ceil(totalCount / size));

function paginationOf(page: PageOfAll) {
  const total = totalPages(page);
  return {
    'current-page': page.number,
    'page-size': page.size,
    'prev-page': page.number > 1 ? page.number - 1 : null,
    'next-page': page.number < total ? page.number + 1 : null,
    'total-pages': total,
    'total-count': page.totalCount,
  };
}

function linksOf(page: PageOfAll, location: Location) {
  const to = (number: number) => pageUrl(number, page.size, location);
  const { 'prev-page': previous, 'next-page': next, 'total-pages': last } = paginationOf(page);
  return {
    self: to(page.number),
    first: to(1),
    prev: previous === null ? null : to(previous),
    next: next === null ? null : to(next),
    last: to(last),
  };
}

/** Absolute, with the brackets encoded and the other parameters kept (reference, workspaces 3). */
function pageUrl(number: number, size: number, { origin, url }: Location): string {
  const address = new URL(url, origin);
  address.searchParams.set('page[number]', String(number));
  address.searchParams.set('page[size]', String(size));
  return address.href;
}
