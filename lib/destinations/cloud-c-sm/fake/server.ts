import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Answer, Question, Reaction } from './answer.ts';

const bodyBytesMax = 1024 * 1024;

export interface Served {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves http on 127.0.0.1. */
export async function serve(port: number, react: (question: Question) => Reaction): Promise<Served> {
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const question = await read(request);
    const reaction = question === undefined ? { status: 413 } : react(question);
    if (reaction === 'hang') return;
    if (reaction === 'reset') return void request.socket.destroy();
    send(response, reaction);
  }

  const bound = await listen(server, port);
  return { url: `http://127.0.0.1:${bound}`, port: bound, close: () => end(server) };
}

async function read(request: IncomingMessage): Promise<Question | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes <= bodyBytesMax) chunks.push(buffer);
  }
  if (bytes > bodyBytesMax) return undefined;
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  return {
    method: request.method ?? 'GET',
    path: url.pathname.split('/').slice(1).map(decodeURIComponent),
    query: url.searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
  };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
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
