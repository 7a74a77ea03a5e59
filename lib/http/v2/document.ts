import type { PageOfAll } from '#path/jsonapi/page.ts';
import type { ApiReply, DocumentReply } from '#path/jsonapi/row.ts';
import { header, type Incoming, type Outgoing } from '../wire/exchange.ts';
import { withoutLoops } from './loops.ts';
import type { ApiParts } from './parts.ts';

/** The address at which the client knows this service, for the links in replies. */
export function originOf({ origin }: Pick<ApiParts, 'origin'>, { headers, connection }: Incoming): string {
  if (origin !== undefined) return origin;
  const sent = `${connection.tls ? 'https' : 'http'}://${header(headers, 'host') ?? ''}`;
  // The header may hold anything.
  return URL.canParse(sent) ? new URL(sent).origin : 'http://localhost';
}

/** A handler's reply as an HTTP response. */
export function outgoingOf(reply: ApiReply | undefined, location: () => Location): Outgoing {
  if (reply === undefined) return { status: 204, body: undefined };
  const headers = reply.headers === undefined ? {} : { headers: reply.headers };
  if ('data' in reply)
    return { status: reply.status ?? 200, ...headers, contentType: mediaType, body: documentOf(reply, location()) };
  const { bytes, contentType = 'application/octet-stream' } = reply;
  if (bytes === undefined) return { status: reply.status ?? 204, ...headers, body: undefined };
  return { status: reply.status ?? 200, ...headers, contentType, body: Buffer.isBuffer(bytes) ? [bytes] : bytes };
}

/** `headers` in addition to those of the response, which win. */
export const withHeaders = (outgoing: Outgoing, headers: Readonly<Record<string, string>>): Outgoing => ({
  ...outgoing,
  headers: { ...headers, ...outgoing.headers },
});

/** The media type of documents. */
export const mediaType = 'application/vnd.api+json';

/** The address of a list, from which the links to its other pages are made. */
interface Location {
  readonly origin: string;
  /** Path and query as sent. */
  readonly url: string;
}

/** A JSON:API document, with links and counts if it is a page of a list. */
function documentOf(reply: DocumentReply, location: Location): string {
  const { data, included, page } = reply;
  const meta = { ...(page === undefined ? {} : { pagination: paginationOf(page) }), ...reply.meta };
  return JSON.stringify({
    data,
    ...(included === undefined ? {} : { included: withoutLoops(included) }),
    ...(page === undefined ? {} : { links: linksOf(page, location) }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  });
}

/** An empty list has one page too. */
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

/** The absolute address of a page, with encoded brackets and all other parameters of the request. */
function pageUrl(number: number, size: number, { origin, url }: Location): string {
  const address = new URL(url, origin);
  address.searchParams.set('page[number]', String(number));
  address.searchParams.set('page[size]', String(size));
  return address.href;
}
