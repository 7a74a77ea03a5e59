import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { generate } from 'selfsigned';
import type { Answer, Question, Reaction } from './answer.ts';

const bodyBytesMax = 1024 * 1024;

export interface Served {
  readonly url: string;
  readonly port: number;
  /** PEM of the server's own certificate. */
  readonly certificate: string;
  close(): Promise<void>;
}

/** Serves https on 127.0.0.1: the SDK talks to nothing else. */
export async function serve(port: number, react: (question: Question) => Reaction): Promise<Served> {
  const { cert, private: key } = await newCertificate();
  const server = createServer({ cert, key }, (request, response) => {
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
  return { url: `https://127.0.0.1:${bound}`, port: bound, certificate: cert, close: () => end(server) };
}

function newCertificate() {
  return generate([{ name: 'commonName', value: 'key vault stand-in' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
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
  const origin = `https://${request.headers.host ?? '127.0.0.1'}`;
  const url = new URL(request.url ?? '/', origin);
  return {
    method: request.method ?? 'GET',
    path: url.pathname.split('/').slice(1).map(decodeURIComponent),
    query: url.searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
    origin,
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
