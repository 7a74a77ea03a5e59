import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, request as requestTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { newCertificate } from '#destinations/cloud-b-kv/fake/server.ts';
import type { Fake } from '#destinations/fake.ts';

export type Change = 'write' | 'removal';

/** A proxy before a stand-in that can hold changes back and deliver them after their client has given up. */
export interface HoldingProxy {
  /** Fields of a destination that reaches the stand-in through the proxy; logins bypass it. */
  readonly destination: Readonly<Record<string, unknown>>;
  /** Holds the next removals, or the next other changes. */
  hold(kind: Change, count: number): void;
  /** The number of changes that it holds. */
  held(): number;
  /** Delivers the held changes in order. Resolves to their statuses. */
  release(): Promise<readonly number[]>;
  close(): Promise<void>;
}

interface Kept {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

/** Uses https if the stand-in does. */
export async function startHoldingProxy(fake: Fake): Promise<HoldingProxy> {
  const kept: Kept[] = [];
  let wanted: { readonly kind: Change; left: number } = { kind: 'write', left: 0 };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    if (wanted.left > 0 && changeOf(request) === wanted.kind) {
      wanted.left -= 1;
      kept.push({ request, body });
      return;
    }
    const answer = await deliver(fake, { request, body });
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(response);
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response).catch(() => response.destroy());
  };
  const secure = fake.url.startsWith('https:');
  const { cert, private: key } = await newCertificate('holding proxy');
  const server = secure ? createTlsServer({ cert, key }, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { destination } = fake;
  return {
    destination: {
      ...destination,
      endpoint: `${secure ? 'https' : 'http'}://127.0.0.1:${port}`,
      allowed_ports: [port, Number(new URL(fake.url).port)],
      ...(secure ? { tls_ca_cert: `${String(destination['tls_ca_cert'])}\n${cert}` } : {}),
    },
    hold(kind, count) {
      wanted = { kind, left: count };
    },
    held: () => kept.length,
    async release() {
      wanted = { kind: 'write', left: 0 };
      const statuses: number[] = [];
      for (const one of kept.splice(0)) {
        const answer = await deliver(fake, one);
        answer.resume();
        statuses.push(answer.statusCode ?? 0);
      }
      return statuses;
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Undefined for a look. */
function changeOf({ method, headers }: IncomingMessage): Change | undefined {
  const operation = String(headers['x-amz-target'] ?? '');
  if (method === 'GET' || operation.includes('.Describe')) return undefined;
  return method === 'DELETE' || operation.endsWith('.DeleteSecret') ? 'removal' : 'write';
}

function deliver(fake: Fake, { request, body }: Kept): Promise<IncomingMessage> {
  const target = new URL(request.url ?? '/', fake.url);
  const { method, headers } = request;
  const options = { method, headers, agent: false, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const send = target.protocol === 'https:' ? requestTls : requestHttp;
    send(target, options, resolve).on('error', reject).end(body);
  });
}
