import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ending } from '../services.ts';

/** A request that a receiver of webhooks got. */
export interface Received {
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How a receiver answers: with a status, a redirect to an address, the request itself, or not at all. */
export type Manner = number | 'hang' | 'close' | 'echo' | 'endless' | { readonly to: string };

export interface Receiver {
  readonly url: string;
  readonly got: Received[];
  manner: Manner;
  /** Requests that are open, now and at most. */
  readonly open: { now: number; most: number };
}

/** A receiver of webhooks that runs until the end of the test. */
export async function receiver(manner: Manner = 200): Promise<Receiver> {
  const open = { now: 0, most: 0 };
  const self: { -readonly [K in keyof Receiver]: Receiver[K] } = { url: '', got: [], manner, open };
  const server = createServer((request, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.on('close', () => {
      open.now -= 1;
    });
    void readAll(request).then((text) => {
      const headers = request.headers as Received['headers'];
      self.got.push({ path: request.url ?? '', headers, text, body: JSON.parse(text) as Received['body'] });
      answer(self.manner, text, response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/key-in-the-path?key=in-the-query`;
  ending({
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return self;
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function answer(manner: Manner, text: string, response: ServerResponse): void {
  if (manner === 'hang') return;
  if (manner === 'close') return void response.destroy();
  if (manner === 'echo') return void response.writeHead(500, { 'x-echo': 'echo' }).end(text);
  if (manner === 'endless') {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
    return;
  }
  if (typeof manner === 'object') return void response.writeHead(307, { location: manner.to }).end();
  response.writeHead(manner).end();
}
