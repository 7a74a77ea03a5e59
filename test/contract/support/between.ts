import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import type { Fake } from '#destinations/fake.ts';
import { forward } from '../../emulators/relay/forward.ts';
import { portOf } from '../../network/servers.ts';

export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Answers instead of the system. */
export type Reaction = (response: ServerResponse, asked: Asked) => void;

/** A proxy between a driver and the stand-in of its system, which forwards requests or answers them itself. */
export interface Between {
  /** The given request body with the proxy's address instead of the stand-in's. */
  through(destination: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Sets how requests are answered; those for which `choose` returns undefined are forwarded. */
  meet(choose: (asked: Asked) => Reaction | undefined): void;
  /** The number of requests that the proxy answered itself. */
  readonly met: number;
  close(): Promise<void>;
}

export async function standBetween(fake: Fake): Promise<Between> {
  const isSecure = fake.url.startsWith('https:');
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' } as const, { type: 7, ip: '127.0.0.1' }] },
    ],
  });
  const certificate = fake.destination['tls_ca_cert'];
  const upstream = { url: fake.url, ...(typeof certificate === 'string' && { certificate }) };
  let choose: (asked: Asked) => Reaction | undefined = () => undefined;
  let met = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request;
    const asked = { method, path, headers, body: await buffer(request) };
    const reaction = choose(asked);
    if (reaction !== undefined) {
      met += 1;
      return reaction(response, asked);
    }
    const { status, headers: answered, body } = await forward(upstream, asked);
    const { 'transfer-encoding': _, ...rest } = answered;
    response.writeHead(status, rest).end(body);
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch(() => response.destroy());
  };
  const server = isSecure ? https.createServer({ cert, key }, listener) : http.createServer(listener);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const port = portOf(server.address());
  const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`;

  return {
    through(destination) {
      const moved = Object.entries(destination).map(([name, value]) => {
        if (name === 'tls_ca_cert') return [name, cert];
        if (name === 'allowed_ports') return [name, [port]];
        return [name, typeof value === 'string' ? value.replace(fake.url, url) : value];
      });
      return Object.fromEntries(moved);
    },
    meet(choice) {
      choose = choice;
    },
    get met() {
      return met;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
