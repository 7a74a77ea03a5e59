import { createServer as createHttpServer, METHODS, type RequestListener, type Server } from 'node:http';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';

import { closeServer, type Open, trackSockets } from '../wire/connection/close.ts';
import { type CertificateFiles, createTlsListener } from '../wire/connection/tls.ts';
import { disguised } from '../wire/verbs/names.ts';
import { acceptVerbs } from '../wire/verbs/socket.ts';
import type { ServerParts } from './parts.ts';
import { closing, hostProblem, refuse, refuseConnect, refuseExpectation, refuseMalformed } from './refuse.ts';
import { createRoutes } from './routes.ts';

export interface HttpServer {
  /** Listens until `close`, on a free port when `port` is 0. May be called for several addresses. */
  listen(address: ListenAddress): Promise<{ readonly port: number }>;
  /**
   * Refuses new requests with 503, waits up to `graceMs` for those in flight, then cuts them off. From the call on, every answer
   * ends its connection. A second call waits for the same end.
   */
  close(graceMs: number): Promise<void>;
  /** Reads the certificates of its addresses again. @throws Error when one cannot be used; the previous one stays in use */
  reloadCertificates(): Promise<void>;
  /** A request without a socket, with any verb. */
  inject(options: Inject): Promise<LightMyRequestResponse>;
  /** The routes, for adapters whose requests do not arrive on a socket. */
  readonly routes: FastifyInstance;
}

export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  readonly tls?: CertificateFiles;
}

export type Inject = Omit<InjectOptions, 'method'> & { readonly method?: string };

/** The parser's limit for the head of a request. */
const headerBytesMax = 16 * 1024;
const headersTimeoutMsMax = 30_000;
const keepAliveTimeoutMs = 75_000;
/** How often the server looks for requests that are past their time limit. */
const checkEveryMsMax = 5_000;

export function createServer(parts: ServerParts): HttpServer {
  const { inFlight } = parts;
  const routes = createRoutes(parts);
  const servers: Listening[] = [];
  let closed: Promise<void> | undefined;
  const closeAll = async (graceMs: number) => {
    const end = performance.now() + graceMs;
    await Promise.all(servers.map((open) => closeServer(open, graceMs)));
    // A request whose client has disconnected may still be in the middle of a write.
    await inFlight.idle(end - performance.now());
    await routes.close();
  };

  return {
    routes,
    async listen({ port, host, tls }) {
      await routes.ready();
      const listener: RequestListener = (request, response) => {
        const refusal = closed === undefined ? hostProblem(request) : closing;
        if (refusal === undefined) routes.routing(request, response);
        else refuse(response, refusal);
      };
      const open = await createListener(parts, listener, tls);
      servers.push(open);
      return { port: await bind(open.server, port, host) };
    },
    close(graceMs) {
      closed ??= closeAll(graceMs);
      return closed;
    },
    async reloadCertificates() {
      await Promise.all(servers.map(({ reload }) => reload?.()));
    },
    inject({ method = 'GET', ...options }) {
      const known = disguised(method);
      if (!isMethod(known)) throw new TypeError(`no request can have the verb ${method}`);
      return routes.inject({ ...options, method: known });
    },
  };
}

interface Listening extends Open {
  /** Absent without TLS. */
  readonly reload?: () => Promise<void>;
}

const isMethod = (verb: string): verb is NonNullable<InjectOptions['method']> => METHODS.includes(verb);

async function createListener(
  { requestTimeoutMs }: ServerParts,
  listener: RequestListener,
  tls: ListenAddress['tls'],
): Promise<Listening> {
  const options = {
    maxHeaderSize: headerBytesMax,
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(requestTimeoutMs, headersTimeoutMsMax),
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(requestTimeoutMs, checkEveryMsMax),
    // Node's own refusal of a missing Host has no body; `hostProblem` refuses with one.
    requireHostHeader: false,
  };
  const { server, reload }: Pick<Listening, 'server' | 'reload'> =
    tls === undefined
      ? { server: createHttpServer(options, listener) }
      : await createTlsListener(options, listener, tls);
  const connections = acceptVerbs(server, tls === undefined ? 'connection' : 'secureConnection');
  const sockets = trackSockets(server);
  server.on('clientError', refuseMalformed(connections));
  server.on('connect', refuseConnect);
  server.on('checkExpectation', refuseExpectation);
  return { server, connections, sockets, ...(reload === undefined ? {} : { reload }) };
}

function bind(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
