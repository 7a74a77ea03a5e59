import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** The faults of a key service, or of another server at its address. */
export type Fault =
  | 'hangs'
  | 'resets'
  | 'late'
  | 'empty'
  | 'garbage'
  | 'huge'
  | 'echo'
  | 'foreign'
  | 'short'
  | 'denied'
  | 'credentials'
  | 'disabled'
  | 'missing'
  | 'busy';

export interface Reply {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeServer {
  readonly url: string;
  /** When undefined, it behaves like the service. */
  fault: Fault | undefined;
  /** The bodies of its requests. */
  readonly requests: string[];
}

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  readonly fault: Fault | undefined;
}

const lateMs = 200;
const hugeBytes = 200_000;

/** Starts a stand-in on the loopback address, which is closed after the test. */
export async function startFake(answer: (asked: Asked) => Reply): Promise<FakeServer> {
  const fake: FakeServer = { url: '', fault: undefined, requests: [] };
  const server = createServer((request, response) => void respond(request, response, fake, answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(fake, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { fault, requests }: FakeServer,
  answer: (asked: Asked) => Reply,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  requests.push(text);
  if (fault === 'hangs') return;
  if (fault === 'resets') return void request.socket.destroy();
  if (fault === 'late') await delay(lateMs);
  if (fault === 'garbage') return void response.end('<html>not what was asked</html>');
  if (fault === 'huge') return void response.end('x'.repeat(hugeBytes));
  if (fault === 'empty') return void response.end('{}');
  const { status, body, headers } = answer({
    path: request.url ?? '',
    headers: request.headers,
    body: JSON.parse(text),
    fault,
  });
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
