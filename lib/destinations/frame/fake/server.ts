import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Reaction } from './faults.ts';

const bodyBytesMax = 1024 * 1024;

export interface Served {
  readonly port: number;
  close(): Promise<void>;
}

export interface Exchange<Answer> {
  /** `body` is undefined when it is too large. */
  react(request: IncomingMessage, body: Buffer | undefined): Reaction<Answer>;
  send(response: ServerResponse, answer: Answer): void;
}

/** Serves on 127.0.0.1. `port` 0 chooses a free one. */
export async function serve<Answer>(
  newServer: (listener: RequestListener) => Server | TlsServer,
  port: number,
  { react, send }: Exchange<Answer>,
): Promise<Served> {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reaction = react(request, await readBody(request));
    if (reaction === 'hang') return;
    if (reaction === 'reset') request.socket.destroy();
    else send(response, reaction);
  }

  const server = newServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  return { port: await listen(server, port), close: () => end(server) };
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes <= bodyBytesMax) chunks.push(buffer);
  }
  return bytes > bodyBytesMax ? undefined : Buffer.concat(chunks);
}

/** Sends an answer, with a JSON body unless `body` is undefined. */
export function sendJson(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): void {
  const type = body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...headers, ...type });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function listen(server: Server | TlsServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function end(server: Server | TlsServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
