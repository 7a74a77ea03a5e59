import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import { problem } from './answer.ts';
import { type Faults, faultAnswer } from './faults.ts';
import { type Host, hostNow } from './host.ts';
import { type Question, route } from './routes.ts';

const bodyBytesMax = 1024 * 1024;
const hourlyLimit = 5_000;

export interface Served {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the host at 127.0.0.1, at the root and below `/api/v3` as a self-hosted one does. */
export async function serve(host: Host, faults: Faults, calls: Map<string, number>, port: number): Promise<Served> {
  const budget = newBudget(host);
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const question = await read(request);
    if (question === undefined) return send(response, host, problem(413, 'Payload too large'), budget());
    const { operation, writes, answer } = route(host, question);
    calls.set(operation, (calls.get(operation) ?? 0) + 1);
    const fault = faults.take({ writes });
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'reset') return void request.socket.destroy();
    if (fault?.kind === 'lost-answer') {
      answer();
      return void request.socket.destroy();
    }
    const failed = fault === undefined ? undefined : faultAnswer(fault, hostNow(host));
    send(response, host, failed ?? answer(), budget());
  }

  return { port: await listen(server, port), close: () => end(server) };
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
  const url = new URL(request.url ?? '/', 'http://localhost');
  const path = url.pathname
    .replace(/^\/api\/v3(?=\/)/, '')
    .split('/')
    .slice(1);
  return {
    method: request.method ?? 'GET',
    path: path.map(decodeURIComponent),
    query: url.searchParams,
    authorization: request.headers.authorization ?? '',
    body: parseBody(Buffer.concat(chunks).toString()),
  };
}

function parseBody(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The headers that tell of the hourly budget. It is counted, not enforced: `fail` does that. */
function newBudget(host: Host): () => Readonly<Record<string, string>> {
  let used = 0;
  return () => {
    used += 1;
    return {
      'x-ratelimit-limit': String(hourlyLimit),
      'x-ratelimit-remaining': String(Math.max(hourlyLimit - used, 1)),
      'x-ratelimit-used': String(used),
      'x-ratelimit-reset': String(Math.ceil(hostNow(host).getTime() / 1000) + 3600),
      'x-ratelimit-resource': 'core',
    };
  };
}

function send(response: ServerResponse, host: Host, answer: Answer, budget: Readonly<Record<string, string>>): void {
  const headers = { date: hostNow(host).toUTCString(), ...budget, ...answer.headers };
  if (answer.body === undefined) {
    response.writeHead(answer.status, headers).end();
    return;
  }
  response.writeHead(answer.status, { ...headers, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(answer.body));
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
