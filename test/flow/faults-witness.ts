import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fake } from '../../lib/destinations/fake.ts';

/** Stands between the workers and a stand-in and sees what they ask for at the same time. */
export interface Witness {
  /** Body of a destination that goes through here. */
  readonly destination: Readonly<Record<string, unknown>>;
  /** Names that two requests were under way for at once. */
  readonly overlaps: readonly string[];
  /** Most requests that were under way at once. */
  readonly widest: number;
  /** Each answer comes so many milliseconds later. */
  delay(milliseconds: number): void;
  /** The next request of this operation is carried out, and its answer never comes. Ends when that has happened. */
  swallow(operation: string): Promise<void>;
  close(): Promise<void>;
}

export async function startWitness(fake: Fake): Promise<Witness> {
  const underWay = new Map<string, number>();
  const overlaps: string[] = [];
  let [widest, delayMs] = [0, 0];
  let swallowing: { readonly operation: string; readonly done: () => void } | undefined;

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(incoming);
    const name = nameIn(body);
    const before = underWay.get(name) ?? 0;
    if (before > 0) overlaps.push(name);
    underWay.set(name, before + 1);
    widest = Math.max(
      widest,
      [...underWay.values()].reduce((sum, count) => sum + count, 0),
    );
    // Until the answer is out, or nobody waits for it any more.
    response.once('close', () => underWay.set(name, (underWay.get(name) ?? 1) - 1));
    const answer = await forward(fake.url, incoming, body);
    if (delayMs > 0) await sleep(delayMs);
    if (swallowing !== undefined && String(incoming.headers['x-amz-target']).endsWith(`.${swallowing.operation}`)) {
      swallowing.done();
      swallowing = undefined;
      return;
    }
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    destination: { ...fake.destination, endpoint: `http://127.0.0.1:${port}`, allowed_ports: [port] },
    overlaps,
    get widest() {
      return widest;
    },
    delay(milliseconds) {
      delayMs = milliseconds;
    },
    swallow: (operation) =>
      new Promise((done) => {
        swallowing = { operation, done };
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Creations call it `Name`, everything else `SecretId`. */
function nameIn(body: Buffer): string {
  const { Name, SecretId }: { readonly Name?: string; readonly SecretId?: string } = JSON.parse(body.toString());
  return Name ?? SecretId ?? '';
}

interface Forwarded {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** The headers go on as they came: the signature covers the host too. */
function forward(url: string, { method, url: path, headers }: IncomingMessage, body: Buffer): Promise<Forwarded> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const out = request({ hostname, port, method, path, headers }, (answer) => {
      bytesOf(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: bytes }),
        reject,
      );
    });
    out.once('error', reject);
    out.end(body);
  });
}
