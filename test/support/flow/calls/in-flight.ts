import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fake } from '#destinations/fake.ts';

/**
 * A proxy between the workers and a stand-in that records concurrent requests. A request counts while its client waits: from the
 * moment it is complete until its answer is about to be written, or its client gives up.
 */
export interface InFlightProxy {
  /** Body of a destination that goes through this proxy. */
  readonly destination: Readonly<Record<string, unknown>>;
  /** Names for which two requests were in flight at once. */
  readonly overlaps: readonly string[];
  /** Most requests that were in flight at once. */
  readonly widest: number;
  /** Requests so far whose client says that it is this application (`AWS_SDK_UA_APP_ID` of its process). */
  askedBy(application: string): number;
  /** Delays each answer by this many milliseconds. */
  delay(milliseconds: number): void;
  /** The next request of this operation is carried out but never answered. Resolves when that has happened. */
  swallow(operation: string): Promise<void>;
  /** The next request of any operation is carried out, and its answer waits for `release`. */
  hold(): Held;
  close(): Promise<void>;
}

export interface Held {
  /** Resolves when a request is being held. */
  readonly reached: Promise<void>;
  release(): void;
}

/** Long enough that a client that was frozen for a while still finds its connection open. */
const keptMs = 600_000;

interface Waiting {
  readonly name: string;
  readonly socket: Socket;
  state: 'waits' | 'answered' | 'given up';
}

export async function startInFlightProxy(fake: Fake): Promise<InFlightProxy> {
  const inFlight = new Set<Waiting>();
  const overlaps: string[] = [];
  const agents: string[] = [];
  const holding: { readonly reached: () => void; readonly released: Promise<void> }[] = [];
  let [widest, delayMs] = [0, 0];
  let swallowing: { readonly operation: string; readonly done: () => void } | undefined;

  function end(one: Waiting, state: Waiting['state']): void {
    if (inFlight.delete(one)) one.state = state;
  }

  /** A closed connection may be noticed only after the next request on another connection, or together with that request. */
  async function compare(one: Waiting): Promise<void> {
    const others = [...inFlight].filter(({ name }) => name === one.name);
    inFlight.add(one);
    widest = Math.max(widest, inFlight.size);
    if (others.length === 0) return;
    await turnsOfTheLoop(3);
    if (one.state !== 'given up' && others.some(({ state }) => state !== 'given up')) overlaps.push(one.name);
  }

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(incoming);
    const one: Waiting = { name: nameIn(body), socket: incoming.socket, state: 'waits' };
    agents.push(incoming.headers['user-agent'] ?? '');
    void compare(one);
    const held = holding.shift();
    const answer = await forward(fake.url, incoming, body);
    if (delayMs > 0) await sleep(delayMs);
    if (swallowing !== undefined && String(incoming.headers['x-amz-target']).endsWith(`.${swallowing.operation}`)) {
      swallowing.done();
      swallowing = undefined;
      return;
    }
    held?.reached();
    await held?.released;
    end(one, 'answered');
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const server = createServer({ keepAliveTimeout: keptMs }, (incoming, response) => {
    pass(incoming, response).catch(() => response.destroy());
  });
  server.on('connection', (socket: Socket) => {
    const giveUp = () => [...inFlight].filter((one) => one.socket === socket).map((one) => end(one, 'given up'));
    socket.once('end', giveUp).once('close', giveUp);
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
    askedBy: (application) => agents.filter((agent) => agent.includes(`app/${application}`)).length,
    delay(milliseconds) {
      delayMs = milliseconds;
    },
    swallow: (operation) =>
      new Promise((done) => {
        swallowing = { operation, done };
      }),
    hold() {
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holding.push({ reached: reached.resolve, released: released.promise });
      return { reached: reached.promise, release: released.resolve };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Each round looks at all connections once. */
async function turnsOfTheLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
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

/** Headers are passed on unchanged: the signature covers the host as well. */
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
