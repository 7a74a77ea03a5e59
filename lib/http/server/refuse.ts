import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerOn } from '../wire/connection/close.ts';
import { mayArriveLate } from '../wire/connection/long-body.ts';
import { allVerbs } from '../wire/verbs/names.ts';
import type { Connections } from '../wire/verbs/socket.ts';

/** Limit for writing a refusal to a connection that ends with it. */
const refusalMsMax = 5_000;

/**
 * Answers bytes that the parser refused, such as a token that contains a control character. Node's own answer has no body, but
 * clients look for the `errors` of a 400. A socket whose TLS handshake failed or was too slow cannot carry an answer, because
 * anything written to it waits for the end of the handshake.
 */
export const refuseMalformed =
  (connections: Connections) =>
  (error: Error, socket: Duplex): void => {
    if ('code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && mayArriveLate(socket)) return;
    if (!socket.writable || 'code' in error === false || error.code === 'ECONNRESET' || !connections.has(socket)) {
      socket.destroy();
      return;
    }
    endWith(socket, refusals[String(error.code)] ?? malformed);
  };

/** Only a proxy answers CONNECT. Node detaches the parser from the connection, so its errors are handled here. */
export function refuseConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  // An answer in flight belongs to an earlier request; the client would take ours for that one.
  if (answerOn(socket) !== undefined) socket.destroy();
  else endWith(socket, notOurs);
}

/** The refusal of a request without a Host header or with several: HTTP/1.1 requires exactly one (RFC 9112, 3.2). */
export function hostProblem({ headers, httpVersion, rawHeaders }: IncomingMessage): Refusal | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? hostless : undefined;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at] ?? '')) hosts += 1;
  return hosts > 1 ? manyHosts : undefined;
}

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'host';

export const refuse = (response: ServerResponse, refusal: Refusal): void => answer(response, refusal);

/** We cannot know whether a body follows, so the connection ends (RFC 9110, 10.1.1). */
export const refuseExpectation = (_request: IncomingMessage, response: ServerResponse): void =>
  answer(response, unexpected);

function answer(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(refusal.status, headersOf(refusal)).end(bodyOf(refusal));
}

function endWith(socket: Duplex, refusal: Refusal): void {
  const headers = Object.entries(headersOf(refusal)).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${headers.join('')}`;
  // A client that does not read its answer loses its connection.
  const late = setTimeout(() => socket.destroy(), refusalMsMax);
  socket.once('close', () => clearTimeout(late));
  socket.end(`${head}\r\n${bodyOf(refusal)}`, () => socket.destroy());
}

const bodyOf = ({ errors }: Refusal): string => JSON.stringify({ errors });

const headersOf = (refusal: Refusal) => ({
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  Connection: 'close',
  'Content-Length': Buffer.byteLength(bodyOf(refusal)),
  ...refusal.headers,
});

export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors: readonly string[];
}

const malformed: Refusal = { status: 400, errors: ['malformed request'] };
const hostless: Refusal = { status: 400, errors: ['the request has no Host header'] };
const manyHosts: Refusal = { status: 400, errors: ['the request has more than one Host header'] };
const notOurs: Refusal = { status: 405, headers: { Allow: allVerbs }, errors: [] };
/** The answer to requests that arrive during shutdown. */
export const closing: Refusal = {
  status: 503,
  headers: { 'Retry-After': '1' },
  errors: ['the service is shutting down: nothing was done; try again'],
};
const unexpected: Refusal = { status: 417, errors: ['the only supported Expect header is 100-continue'] };

/** By the parser's error codes. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_INVALID_HEADER_TOKEN: { status: 400, errors: ['invalid header value'] },
  HPE_INVALID_METHOD: notOurs,
  HPE_HEADER_OVERFLOW: { status: 431, errors: ['request headers too large'] },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, errors: ['request body too large'] },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, errors: ['the request did not arrive in time'] },
};
