import { readQuery } from '#path/jsonapi/query.ts';
import type { ApiCaller, ApiRequest, ApiRow, RequestContext, RowReply } from '#path/jsonapi/row.ts';
import { originOf } from './document.ts';
import type { Exchange } from './exchange.ts';
import type { ApiParts } from './parts.ts';
import type { Found } from './routing.ts';

/**
 * Reads the query, finds what the row needs and checks the caller's right on it, reads the body, and runs the handler. A row that names its resource in
 * the body has the body read first.
 *
 * @throws ApiError 400, 403, 404, 422
 */
export async function runRow(parts: ApiParts, exchange: Exchange, { row, parameters }: Found): Promise<RowReply> {
  const { url, body: sent } = exchange;
  const query = readQuery(row.query, url.searchParams);
  const named = row.named?.({ parameters, query, body: row.body?.read(sent) });
  const found = row.open
    ? undefined
    : await parts.findNeeded(row.needs, { caller: callerOf(exchange, row), parameters, named });
  return row.run(requestOf(parts, exchange, row, { parameters, query, body: row.body?.read(sent), found }));
}

/** @throws Error in an `open` row (a programming error) */
function callerOf({ caller }: Exchange, row: ApiRow): ApiCaller {
  if (caller === undefined) throw new Error(`${row.path} is open and asks for its caller`);
  return caller;
}

function requestOf(
  parts: ApiParts,
  exchange: Exchange,
  row: ApiRow,
  input: Omit<ApiRequest, keyof RequestContext>,
): ApiRequest {
  const { incoming, ending } = exchange;
  return {
    ...input,
    requestId: incoming.requestId,
    headers: incoming.headers,
    origin: originOf(parts, incoming),
    remoteAddress: incoming.connection.remoteAddress,
    url: incoming.url,
    mayPad: incoming.isStreamed && parts.paddingMs > 0,
    get caller() {
      return callerOf(exchange, row);
    },
    get signal() {
      return ending.signal;
    },
    get stream() {
      return counted(exchange, incoming.body.pieces(row.streamBytesMax ?? 0));
    },
  };
}

async function* counted(exchange: Exchange, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    exchange.receivedBytes += piece.length;
    yield piece;
  }
}
