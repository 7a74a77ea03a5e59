import { METHODS } from 'node:http';
import { Socket } from 'node:net';
import { finished, Readable } from 'node:stream';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { AddressList } from '#core/address-list.ts';
import { AppError } from '#core/errors.ts';
import { BodyMemory } from '../wire/body/memory.ts';
import { BodyReader } from '../wire/body/reader.ts';
import { connectionOf } from '../wire/connection/connection.ts';
import { type Incoming, type Outgoing, originForm, type Pipeline, requestIdOf } from '../wire/exchange.ts';
import { trueVerb } from '../wire/verbs/names.ts';
import { status } from './failure.ts';
import { createObserver } from './observe/observe.ts';
import type { ServerParts } from './parts.ts';

/** The Fastify instance: catch-all routes for each service. */
export function createRoutes(parts: ServerParts): FastifyInstance {
  const observer = createObserver(parts);
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    // Fastify would cut the connection while the client still sends, and the client would never see the answer. Instead Node
    // receives and discards the rest of the request within its time limit.
    reply.removeHeader('connection');
    const [first] = parts.services;
    const { refuse } = parts.services.find((service) => service.owns(request.url)) ?? first;
    const refusal = refuse(asAppError(error), { requestId: request.id, headers: request.headers });
    observer.refused(request.id, trueVerb(request.method), refusal.status);
    return send(reply, refusal);
  };
  const app = fastify({
    genReqId: ({ headers }) => requestIdOf(headers),
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    frameworkErrors: refuse,
  });
  addMethods(app);
  leaveBodies(app);
  app.setErrorHandler(refuse);
  app.setNotFoundHandler((request, reply) => {
    observer.refused(request.id, trueVerb(request.method), status.notFound);
    return send(reply, { status: status.notFound, body: noErrors });
  });
  const memory = new BodyMemory({ large: parts.largeBodiesBytesMax, members: largeMembersMax });
  for (const { urls, pipeline } of parts.services)
    app.register(async (scope) => answerAll(scope, { urls, pipeline: observer.around(pipeline), parts, memory }));
  return app;
}

/** Limit for the members of the data of all large bodies together. */
const largeMembersMax = 100_000;
const noErrors = JSON.stringify({ errors: [] });
const knownToFastify = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
/** CONNECT never reaches a route. */
const added = METHODS.filter((method) => !knownToFastify.includes(method) && method !== 'CONNECT');

/** Fastify knows only a few methods. With all of Node's methods added, an unknown verb gets our 405. */
function addMethods(app: FastifyInstance): void {
  for (const method of added) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
}

/** Only pipelines read bodies, after they have identified the caller. A path that no service owns is not found, whatever is sent to it. */
function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
}

interface Answering {
  readonly urls: readonly string[];
  readonly pipeline: Pipeline;
  readonly parts: ServerParts;
  readonly memory: BodyMemory;
}

/** Every request below these URLs goes to the pipeline, whatever its verb. */
async function answerAll(scope: FastifyInstance, { urls, pipeline, parts, memory }: Answering): Promise<void> {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const incoming = incomingOf(request, reply, memory, parts.trustedProxies);
    const outgoing = await pipeline(incoming);
    if (typeof outgoing.body !== 'object') incoming.body.release();
    else whenSent(reply, sendMsMax(outgoing.body, parts), () => incoming.body.release());
    // If the connection ends with the answer, a client that is still sending would see the end before the answer.
    if (!reply.raw.shouldKeepAlive) await incoming.body.gone();
    return send(reply, outgoing);
  };
  for (const url of urls) scope.route({ method: [...knownToFastify, ...added], url, handler });
}

function incomingOf(
  request: FastifyRequest,
  reply: FastifyReply,
  memory: BodyMemory,
  trustedProxies: AddressList,
): Incoming {
  const { raw } = request;
  return {
    requestId: request.id,
    method: trueVerb(request.method),
    url: originForm(raw.url ?? ''),
    headers: raw.headers,
    isStreamed: raw.socket instanceof Socket,
    connection: connectionOf(raw.socket, raw.headers, trustedProxies),
    body: new BodyReader(raw, lengthOf(raw), memory),
    onClose: (gone) => {
      // Connections close after the answer too, and ending a finished request costs more than a small request does.
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) gone();
      });
    },
  };
}

/** In bytes; undefined for a chunked body. */
function lengthOf({ headers }: FastifyRequest['raw']): number | undefined {
  if (headers['content-length'] !== undefined) return Number(headers['content-length']);
  return headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/** A text goes past Fastify, which has nothing to add to it and takes several calls for each header. */
function send(reply: FastifyReply, outgoing: Outgoing): FastifyReply {
  const { status: code, headers, contentType = 'application/json', body } = outgoing;
  if (typeof body !== 'string') return sendByFastify(reply, outgoing);
  reply.hijack();
  reply.raw.writeHead(code, {
    'cache-control': 'no-store',
    ...headers,
    ...(outgoing.cookies === undefined ? {} : { 'set-cookie': [...outgoing.cookies] }),
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
  });
  reply.raw.end(body);
  return reply;
}

/** Clients compare the content type for equality, so Fastify must not add a charset; with a custom serializer it does not. */
function sendByFastify(reply: FastifyReply, outgoing: Outgoing): FastifyReply {
  const { status: code, headers, cookies, contentType, body } = outgoing;
  reply.code(code).header('cache-control', 'no-store');
  if (cookies !== undefined) reply.header('set-cookie', [...cookies]);
  if (headers !== undefined) reply.headers(headers);
  if (body === undefined) return reply.send();
  return reply
    .header('content-type', contentType ?? 'application/json')
    .serializer(unchanged)
    .send(isInPieces(body) ? inPieces(reply, body) : body);
}

/** Limit for sending a file, which may be long and read slowly. */
const fileMsMax = 3_600_000;

const sendMsMax = (body: object, { requestTimeoutMs }: ServerParts): number =>
  body instanceof Readable ? Math.max(fileMsMax, requestTimeoutMs) : requestTimeoutMs;

const isInPieces = (body: NonNullable<Outgoing['body']>): body is readonly Buffer[] => Array.isArray(body);

/** A long answer, sent as fast as the client reads it. */
function inPieces(reply: FastifyReply, pieces: readonly Buffer[]): Readable {
  reply.header(
    'content-length',
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
  return Readable.from(pieces, { objectMode: false });
}

/** Calls `done` when the answer has been sent or its connection has closed; closes it after `msMax`. */
function whenSent({ raw }: FastifyReply, msMax: number, done: () => void): void {
  const cut = setTimeout(() => raw.destroy(), msMax);
  finished(raw, () => {
    clearTimeout(cut);
    done();
  });
}

const unchanged = (text: string): string => text;

/** Replaces Fastify's own errors, whose messages may quote the request. */
function asAppError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported-media', 'the Content-Type is not a media type');
    case 'FST_ERR_BAD_URL':
      return new AppError('bad-request', 'path has an invalid percent-encoding');
    default:
      return error;
  }
}
