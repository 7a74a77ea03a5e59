import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { openGatekeeper } from '#auth/gatekeeper.ts';
import { openIdentities } from '#auth/identity/facts/open.ts';
import { openAcls } from '#auth/policy/store/acls.ts';
import { AppError } from '#core/errors.ts';
import { listenFailure } from '#core/listen-failure.ts';
import { onlyRoot } from '#core/namespace.ts';
import { definitions } from '#destinations/index.ts';
import { type BoardQueues, openBoardQueues } from '#queue/board.ts';
import { type AppParts, type Closable, openShared } from '../shared.ts';
import { type BoardAccess, openBoardAccess } from './access.ts';
import { loginPage } from './login.ts';

/** A read-only view of the queues in a browser, for holders of a root token. */
export interface Board extends Closable {
  /** @throws ConfigError when the port is taken */
  listen(port: number, host: string): Promise<{ readonly port: number }>;
  readonly inject: FastifyInstance['inject'];
}

/** For the login form, the only request with a body. */
const bodyBytesMax = 4_096;
const requestMsMax = 30_000;
const cookieStatus = 303;

export async function openBoard(parts: AppParts): Promise<Board> {
  const shared = await openShared(parts, 'another-process');
  const gatekeeper = openGatekeeper({
    store: shared.store,
    acls: openAcls({ ...shared, identities: openIdentities(shared.store) }),
    // The board requires a root token, and root tokens exist only in the root namespace.
    namespaces: onlyRoot,
    seenMountsRevision: () => {},
    requestMsMax: parts.config.KEYFERRY_REQUEST_MS_MAX,
  });
  const access = openBoardAccess({ gatekeeper, now: () => shared.clock.now().getTime() });
  const types = definitions.map(({ type }) => type);
  const prefix = parts.config.KEYFERRY_REDIS_PREFIX;
  const queues = openBoardQueues({ redisUrl: shared.redisUrl, prefix, types, log: parts.log });
  const app = boardApp(access, queues);
  await app.ready();
  return {
    inject: app.inject.bind(app),
    async listen(port, host) {
      await app.listen({ port, host }).catch((cause: unknown) => {
        throw listenFailure(cause, 'KEYFERRY_BOARD_PORT', port);
      });
      const address = app.server.address();
      return { port: typeof address === 'object' && address !== null ? address.port : port };
    },
    async close() {
      await app.close();
      await queues.close();
      await shared.close();
    },
  };
}

function boardApp(access: BoardAccess, queues: BoardQueues): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    requestTimeout: requestMsMax,
    forceCloseConnections: true,
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(String(body))),
  );
  app.setErrorHandler(refuse);
  app.addHook('onRequest', async (request, reply) => guard(access, request, reply));
  app.post('/login', async ({ body }, reply) => login(access, body, reply));
  const adapter = new FastifyAdapter();
  createBullBoard({
    queues: [...queues.adapters],
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Keyferry', hideRedisDetails: true } },
  });
  app.register(adapter.registerPlugin());
  return app;
}

/** Runs first for every path: pages, files and data. */
async function guard(access: BoardAccess, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  reply.headers({ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' });
  if (request.method === 'POST' && request.url === '/login') return undefined;
  const admission = await access.check(request.headers);
  reply.header('cache-control', 'no-store');
  if (admission === 'unauthenticated') return askForToken(request, reply);
  if (admission === 'forbidden') return reply.code(403).send({ errors: ['the board requires a root token'] });
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  return reply.code(405).send({ errors: ['the board is read-only'] });
}

function askForToken(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const browser = /\btext\/html\b/.test(request.headers.accept ?? '');
  if (!browser)
    return reply
      .code(401)
      .send({ errors: ['a root token is required: send it in the header X-Service-Token or with the form at /'] });
  return page(reply, 401, 'The board requires a root token.');
}

async function login(access: BoardAccess, body: unknown, reply: FastifyReply): Promise<FastifyReply> {
  const token = body instanceof URLSearchParams ? body.get('token') : null;
  const cookie = token === null || token === '' ? undefined : await access.login(token);
  if (cookie === undefined) return page(reply, 403, 'This is not a root token.');
  return reply.header('set-cookie', cookie).redirect('/', cookieStatus);
}

const page = (reply: FastifyReply, status: number, message: string): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(loginPage(message));

/** Error messages of the libraries may quote the request, so they are not shown. */
function refuse(error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof AppError)
    return reply.code(503).send({ errors: error.kind === 'sealed' ? ['this process is sealed'] : error.messages });
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  return reply.code(status >= 400 && status < 500 ? status : 500).send({ errors: ['the board failed to answer'] });
}
