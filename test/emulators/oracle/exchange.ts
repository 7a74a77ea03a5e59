import { subscribe } from 'node:diagnostics_channel';
import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** A request to a stand-in in this process, with its answer. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly request: string;
  /** Undefined when the answer was lost or is still in flight. */
  answer: { readonly status: number; readonly body: string } | undefined;
}

/** Records all further exchanges of the HTTP servers of this process, without a proxy. */
export function recordExchanges(): Exchange[] {
  const exchanges: Exchange[] = [];
  subscribe('http.server.request.start', (message) => {
    const { request, response } = pairOf(message);
    const sent = tapReading(request);
    const said = tapWriting(response);
    const exchange: { -readonly [Key in keyof Exchange]: Exchange[Key] } = {
      method: request.method ?? '',
      url: new URL(request.url ?? '/', 'http://stand-in'),
      headers: request.headers,
      request: '',
      answer: undefined,
    };
    request.once('end', () => {
      exchange.request = Buffer.concat(sent).toString();
      exchanges.push(exchange);
    });
    response.once('finish', () => {
      exchange.answer = { status: response.statusCode, body: Buffer.concat(said).toString() };
    });
  });
  return exchanges;
}

function pairOf(message: unknown) {
  const { request, response } = { request: undefined, response: undefined, ...Object(message) };
  if (request instanceof IncomingMessage && response instanceof ServerResponse) return { request, response };
  throw new TypeError('the channel of HTTP servers has an unknown message');
}

/** Listening for data would start the stream, so that its reader would miss the beginning. */
function tapReading(request: IncomingMessage): Buffer[] {
  const chunks: Buffer[] = [];
  const push = request.push.bind(request);
  request.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    return push(chunk, encoding);
  };
  return chunks;
}

/** Our stand-ins write complete bodies with `end`. */
function tapWriting(response: ServerResponse): Buffer[] {
  const chunks: Buffer[] = [];
  const { end } = response;
  Object.assign(response, {
    end(chunk?: unknown, ...rest: unknown[]) {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
      return Reflect.apply(end, response, [chunk, ...rest]);
    },
  });
  return chunks;
}
