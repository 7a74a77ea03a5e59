import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Account } from './account.ts';
import { type Answer, Refused, refusal } from './answer.ts';
import { type Faults, faultRefusal } from './faults.ts';
import { route } from './route.ts';
import type { Signed } from './signature.ts';

const bodyBytesMax = 1024 * 1024;

export interface Served {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the account at 127.0.0.1. */
export async function serve(
  account: Account,
  faults: Faults,
  calls: Map<string, number>,
  port: number,
): Promise<Served> {
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const signed = await read(request);
    if (signed === undefined) {
      return send(response, account, refusal('json', new Refused('RequestEntityTooLargeException', 'too large', 413)));
    }
    const { operation, protocol, writes, answer } = route(account, signed);
    calls.set(operation, (calls.get(operation) ?? 0) + 1);
    const fault = faults.take({ operation, writes });
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'lost-answer') answer();
    if (fault?.kind === 'reset' || fault?.kind === 'lost-answer') return void request.socket.destroy();
    const failed = fault === undefined ? undefined : faultRefusal(fault, protocol, operation);
    send(response, account, failed === undefined ? answer() : refusal(protocol, failed));
  }

  return { port: await listen(server, port), close: () => end(server) };
}

async function read(request: IncomingMessage): Promise<Signed | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes <= bodyBytesMax) chunks.push(buffer);
  }
  if (bytes > bodyBytesMax) return undefined;
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
  };
}

function send(response: ServerResponse, account: Account, { status, body, type, headers }: Answer): void {
  response.writeHead(status, {
    date: account.now().toUTCString(),
    'content-type': type,
    'x-amzn-requestid': randomUUID(),
    ...headers,
  });
  response.end(body);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
