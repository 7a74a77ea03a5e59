import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { blockedMessage } from '#network/blocked.ts';
import { guardedAgents } from '#network/connection/agents.ts';
import type { Asked, Passing } from '#network/connection/passing.ts';
import { codeOf } from '#network/connection/trace-end.ts';
import { checkBeforeProxy, connectMs, type Guard, isServer, reachFor } from './guard.ts';
import { authorizationFor, proxyRequest } from './outer.ts';

interface Parts {
  readonly guard: Guard;
  readonly passing: Passing;
  readonly idleMs: number;
  /** Called with each failure. */
  readonly failed: (error: Error) => void;
}

/** A proxy for HTTP: `CONNECT`, and requests with a whole address. */
export interface HttpProxy {
  serve(client: Socket): void;
  close(): void;
}

export function httpProxy(parts: Parts): HttpProxy {
  const { guard, passing, failed } = parts;
  const agents = guardedAgents(guard.policy, { connectMs });
  const plain = new http.Agent({ keepAlive: true });
  // Large bodies take longer than any deadline of a whole request; silence has its own.
  const server = http.createServer({ requestTimeout: 0 }).setTimeout(parts.idleMs);
  server.on('request', (request, response) => {
    const refuse = (error: Error) => {
      failed(error);
      answerFailure(response, error);
    };
    forward(parts, { http: agents.http, plain }, request, response).catch(refuse);
  });
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    const remote = remoteIn(request.url ?? '');
    if (remote === undefined) return void client.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    if (head.length > 0) client.unshift(head);
    const asked = { ...remote, answer: (failure: Error | undefined) => void client.write(connectAnswer(failure)) };
    void passing.pass(client, asked, () => noted(reachFor(guard, remote), failed));
  });
  server.on('clientError', (_error, client) => client.destroy());
  return {
    serve: (client) => void server.emit('connection', client),
    close() {
      agents.close();
      plain.destroy();
    },
  };
}

async function noted<T>(work: Promise<T>, failed: (error: Error) => void): Promise<T> {
  return work.catch((error: Error) => {
    failed(error);
    throw error;
  });
}

/** `host:port`, of which the host may be in brackets. */
function remoteIn(text: string): Asked | undefined {
  const [, inBrackets, name, port] = /^(?:\[([0-9a-fA-F:.%]+)\]|([^[\]:/@\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = inBrackets ?? name;
  const number = Number(port);
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number };
}

const reasonOf = (error: Error): string => blockedMessage(error) ?? `no connection: ${codeOf(error)}`;
const statusOf = (error: Error): number => (blockedMessage(error) === undefined ? 502 : 403);

function connectAnswer(failure: Error | undefined): string {
  if (failure === undefined) return 'HTTP/1.1 200 Connection established\r\n\r\n';
  const status = statusOf(failure);
  const text = `${reasonOf(failure)}\n`;
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\ncontent-type: text/plain\r\nconnection: close`;
  return `${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function answerFailure(response: ServerResponse, error: Error): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(statusOf(error), { 'content-type': 'text/plain', connection: 'close' });
  response.end(`${reasonOf(error)}\n`);
}

/** Headers of one connection only (RFC 9110, 7.6.1), and those for this proxy. */
const hopHeaders = new Set(
  ['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate'].concat([
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'expect',
  ]),
);

interface ForwardAgents {
  readonly http: http.Agent;
  readonly plain: http.Agent;
}

/** Sends a request on, and its answer back. @throws BlockedConnection, or the error of the connection */
async function forward(
  { guard, idleMs }: Parts,
  agents: ForwardAgents,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
  if (url?.protocol !== 'http:') return void response.writeHead(400).end('this is a proxy\n');
  const remote = { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: url.port === '' ? 80 : Number(url.port) };
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const framing = isChunked ? { 'transfer-encoding': 'chunked' } : {};
  const headers = { ...endToEnd(request), ...framing, host: url.host };
  const isOwn = isServer(guard, remote);
  const proxy = isOwn ? undefined : guard.outer.for(remote, 'http');
  if (proxy !== undefined) await checkBeforeProxy(guard, remote);
  const { send, ...where } = proxy === undefined ? { send: http.request, ...remote } : proxyRequest(proxy);
  const sent = send({
    ...where,
    method: request.method ?? 'GET',
    path: proxy === undefined ? `${url.pathname}${url.search}` : url.href,
    headers: proxy === undefined ? headers : { ...headers, ...authorizationFor(proxy) },
    agent: proxy !== undefined ? false : isOwn ? agents.plain : agents.http,
    timeout: idleMs,
  });
  await exchange(request, response, sent);
}

function exchange(request: IncomingMessage, response: ServerResponse, sent: http.ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject).once('timeout', () => sent.destroy());
    sent.once('response', (answer) => {
      answer.on('error', () => response.destroy());
      try {
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', endToEnd(answer));
        answer.pipe(response);
      } catch (error) {
        // Node accepts some headers that it refuses to send.
        reject(error);
      }
    });
    response
      .on('error', () => {})
      .once('close', () => {
        sent.destroy();
        resolve();
      });
    request.on('error', () => sent.destroy());
    request.pipe(sent);
  });
}

/** The headers of a message without those of its connection. */
function endToEnd({ headersDistinct, headers }: IncomingMessage): Record<string, string[]> {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/));
  const entries = Object.entries(headersDistinct).flatMap(([name, values]) =>
    hopHeaders.has(name) || named.has(name) || values === undefined ? [] : [[name, values] as const],
  );
  return Object.fromEntries(entries);
}
