import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { allVerbs } from '../secrets/request/request.ts';
import { mayArriveLate } from './connection/long-body.ts';

/** For writing a refusal to a connection that ends with it. */
const refusalMsMax = 5_000;

/**
 * Answers bytes that the parser refused. Node's own answer has no body, while clients look for the `errors` of a 400
 * (a token with a control character in it is the known case).
 */
export function refuseMalformed(error: Error, socket: Duplex): void {
  if ('code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && mayArriveLate(socket)) return;
  if (!socket.writable || 'code' in error === false || error.code === 'ECONNRESET' || isInHandshake(socket)) {
    socket.destroy();
    return;
  }
  endWith(socket, refusals[String(error.code)] ?? malformed);
}

/**
 * Requests arrive on a translated socket. A TLS socket is handed over only when its handshake has failed or was too slow: it
 * cannot carry an answer, and what is written to it waits for the end of the handshake.
 */
const isInHandshake = (socket: Duplex): boolean => socket instanceof TLSSocket;

/** Only a proxy answers CONNECT. Its connection is no longer the parser's, so nobody else handles its errors. */
export function refuseConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  // The answer that is in flight is for a request before it, and the client would take ours for that one.
  if (answerOn(socket) !== undefined) socket.destroy();
  else endWith(socket, notOurs);
}

/** What is wrong with the Host of a request: HTTP/1.1 asks for it, and never for two (RFC 9112, 3.2). */
export function hostProblem({ headers, httpVersion, rawHeaders }: IncomingMessage): Refusal | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? hostless : undefined;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at] ?? '')) hosts += 1;
  return hosts > 1 ? manyHosts : undefined;
}

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'host';

export const refuse = (response: ServerResponse, refusal: Refusal): void => answer(response, refusal);

/** The answer that is being made on a connection; undefined: none. */
export function answerOn(socket: Duplex): ServerResponse | undefined {
  const answered: unknown = Reflect.get(socket, '_httpMessage');
  return answered instanceof ServerResponse ? answered : undefined;
}

/** Whether the body of such a request follows nobody knows, so its connection ends (RFC 9110, 10.1.1). */
export const refuseExpectation = (_request: IncomingMessage, response: ServerResponse): void =>
  answer(response, unexpected);

function answer(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(refusal.status, headersOf(refusal)).end(bodyOf(refusal));
}

function endWith(socket: Duplex, refusal: Refusal): void {
  const headers = Object.entries(headersOf(refusal)).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${headers.join('')}`;
  // A client that does not read its answer does not keep its connection.
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
/** For what comes when no more requests are taken. */
export const closing: Refusal = {
  status: 503,
  headers: { 'Retry-After': '1' },
  errors: ['the service is being stopped: nothing was done; try again'],
};
const unexpected: Refusal = { status: 417, errors: ['the only Expect header that is understood is 100-continue'] };

/** By the parser's error codes. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_INVALID_HEADER_TOKEN: { status: 400, errors: ['invalid header value'] },
  HPE_INVALID_METHOD: notOurs,
  HPE_HEADER_OVERFLOW: { status: 431, errors: ['request headers too large'] },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, errors: ['request body too large'] },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, errors: ['the request did not arrive in time'] },
};
