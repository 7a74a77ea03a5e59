import type * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandFailure, usage } from '#cli/failure.ts';
import type { Given } from '#cli/verb.ts';
import { page, pageHeaders } from './page.ts';

/** What a provider sent back. */
export interface Answer {
  readonly fields: URLSearchParams;
  /** By the response mode form_post. */
  readonly isPosted: boolean;
}

/** Where a provider sends the browser of the user back to: an address that only this machine reaches. */
export interface Listener {
  readonly redirectUri: string;
  /** The answer to the login with this state. Whatever has another state is refused, and does not end the wait. */
  answerTo(state: string): Promise<Answer>;
  close(): void;
}

/** The hosts of a redirect URI, and where the program listens for them. */
const hosts: Readonly<Record<string, { readonly at: string; readonly name: string }>> = {
  localhost: { at: '127.0.0.1', name: 'localhost' },
  '127.0.0.1': { at: '127.0.0.1', name: '127.0.0.1' },
  '::1': { at: '::1', name: '[::1]' },
};

/** Port and path of the command line of the API family, so that one redirect URI is registered for both. */
const portOtherwise = 8_250;
const path = '/oidc/callback';
const bodyBytesMax = 128 * 1_024;
const connectionsMax = 16;

/** @throws CommandFailure for a host of another machine, and when the port cannot be had */
export async function listen(given: Given): Promise<Listener> {
  const host = hosts[given.text('listen') ?? 'localhost'];
  if (host === undefined)
    throw usage(`--listen must be a host of this machine: ${Object.keys(hosts).join(', ')}`, given.verb);
  const port = given.count('port', portOtherwise, { min: 0, max: 65_535 });
  const { createServer } = await import('node:http');
  let wanted: Wanted | undefined;
  const server = createServer((request, reply) => {
    void read(request).then((answer) => respond(reply, answer, wanted));
  });
  server.maxConnections = connectionsMax;
  await listening(server, host.at, port);
  return {
    redirectUri: `http://${host.name}:${(server.address() as AddressInfo).port}${path}`,
    answerTo: (state) =>
      new Promise((take) => {
        wanted = { state, take };
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Wanted {
  readonly state: string;
  readonly take: (answer: Answer) => void;
}

async function listening(server: http.Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch(({ code = '' }: NodeJS.ErrnoException) => {
    const why = code === 'EADDRINUSE' ? 'the port is taken: choose another one with --port' : code;
    throw new CommandFailure(
      'failed',
      `the program cannot listen at ${host}, port ${port}: ${why}`,
      'keyferry login --help',
    );
  });
}

/** The fields of an answer, or the status of a request that is none. */
async function read(request: http.IncomingMessage): Promise<Answer | number> {
  const [at = '', query = ''] = (request.url ?? '').split('?', 2);
  if (at !== path) return 404;
  if (request.method === 'GET') return { fields: new URLSearchParams(query), isPosted: false };
  if (request.method !== 'POST') return 405;
  const body = await bodyOf(request).catch(() => undefined);
  return body === undefined ? 400 : { fields: new URLSearchParams(body), isPosted: true };
}

/** Undefined for a body that no provider sends. */
async function bodyOf(request: http.IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > bodyBytesMax) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** The answer is taken once its page has gone out, because the listener closes then. */
function respond(reply: http.ServerResponse, answer: Answer | number, wanted: Wanted | undefined): void {
  if (typeof answer === 'number') {
    send(reply, answer, 'Nothing is here', 'The command line waits for a login at another address.');
  } else if (wanted === undefined || answer.fields.get('state') !== wanted.state) {
    send(reply, 400, 'Another login', 'This is not the login that the command line waits for. Begin again there.');
  } else {
    reply.once('close', () => wanted.take(answer));
    send(reply, 200, 'Back to the command line', 'It completes the login. You can close this window.');
  }
}

const send = (reply: http.ServerResponse, status: number, title: string, text: string) =>
  reply.writeHead(status, pageHeaders).end(page(title, text));
