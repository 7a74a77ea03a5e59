import { METHODS } from 'node:http';
import { finished, Readable } from 'node:stream';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { AddressList } from '../../core/address-list.ts';
import { AppError } from '../../core/errors.ts';
import { createApiPipeline } from '../jsonapi/pipeline.ts';
import { refusalOf } from '../jsonapi/refuse.ts';
import type { HttpParts } from '../secrets/parts.ts';
import { createPipeline, type Pipeline } from '../secrets/pipeline.ts';
import { failure } from '../secrets/reply/failure.ts';
import { status } from '../secrets/reply/status.ts';
import { originForm, prefix, vocabularyOf } from '../secrets/request/address.ts';
import { BodyMemory } from './body/memory.ts';
import { BodyReader } from './body/reader.ts';
import { connectionOf } from './connection/connection.ts';
import { withCrossOrigin } from './cors.ts';
import { type Incoming, type Outgoing, requestIdOf } from './exchange.ts';
import { createObserver } from './observe/observe.ts';
import { withRequestHeader } from './request-header.ts';
import { trueVerb } from './verbs/names.ts';

/** The Fastify instance: one catch-all under `/v1/`, and whatever the plugins add beside it. */
export function createRoutes(parts: HttpParts): FastifyInstance {
  const observer = createObserver(parts);
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const vocabulary = vocabularyOf(request.headers, '');
    // Fastify would cut the connection while the client still sends, and the client would never see the answer. Node
    // reads the rest of the request away, within the time for it.
    reply.removeHeader('connection');
    const refusal = isApi(request.url)
      ? refusalOf(asAppError(error), request.id, parts)
      : failure(asAppError(error), { requestId: request.id, vocabulary, log: parts.log });
    observer.refused(request.id, trueVerb(request.method), refusal.status);
    return send(reply, refusal);
  };
  const app = fastify({
    bodyLimit: parts.bodyLimitBytes,
    genReqId: ({ headers }) => requestIdOf(headers),
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    frameworkErrors: refuse,
  });
  addMethods(app);
  app.setErrorHandler(refuse);
  app.setNotFoundHandler((request, reply) => {
    observer.refused(request.id, trueVerb(request.method), status.notFound);
    return send(reply, { status: status.notFound, body: noErrors });
  });
  for (const plugin of parts.plugins ?? []) app.register(plugin);
  const secrets = withRequestHeader(parts, withCrossOrigin(parts, createPipeline(parts)));
  const memory = new BodyMemory({ large: parts.largeBodiesBytesMax, members: largeMembersMax });
  const answering = (urls: readonly string[], pipeline: Pipeline) =>
    app.register(async (scope) => answerAll(scope, { urls, pipeline: observer.around(pipeline), parts, memory }));
  answering([`${prefix}*`], secrets);
  if (parts.workspaces !== undefined) {
    const service = { ...parts, ...parts.workspaces, bodyLimitBytes: documentBytesMax };
    answering(['/api/v2', '/api/v2/*', '/api/meta/*', '/.well-known/terraform.json'], createApiPipeline(service));
  }
  return app;
}

/** Whether a URL is of the workspace service, whose clients read errors of another form. */
const isApi = (url: string): boolean => /^\/api\/(?:v2|meta)(?:[/?]|$)/.test(url);

/** Of a document that is sent to the workspace service: a description or a variable is long at 256 KiB. */
const documentBytesMax = 2 * 1024 * 1024;
/** Of the data of all large bodies together. */
const largeMembersMax = 100_000;
const noErrors = JSON.stringify({ errors: [] });
const own = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
/** CONNECT never reaches a route. */
const others = METHODS.filter((method) => !own.includes(method) && method !== 'CONNECT');

/** Fastify routes a few methods; with all of them known, a verb that the API does not know gets our 405. */
function addMethods(app: FastifyInstance): void {
  for (const method of others) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
}

interface Answering {
  readonly urls: readonly string[];
  readonly pipeline: Pipeline;
  readonly parts: HttpParts;
  readonly memory: BodyMemory;
}

/** Every request below these URLs goes to the pipeline, whatever its verb. */
async function answerAll(scope: FastifyInstance, { urls, pipeline, parts, memory }: Answering): Promise<void> {
  scope.removeAllContentTypeParsers();
  // The pipeline reads bodies, when it is known from whom.
  scope.addContentTypeParser('*', (_request, _body, done) => done(null));
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const incoming = incomingOf(request, reply, memory, parts.trustedProxies);
    const outgoing = await pipeline(incoming);
    if (typeof outgoing.body !== 'object') incoming.body.release();
    else whenSent(reply, sendMsMax(outgoing.body, parts), () => incoming.body.release());
    // Where the connection ends with the answer, who is still sending would notice the end before the answer.
    if (!reply.raw.shouldKeepAlive) await incoming.body.gone();
    return send(reply, outgoing);
  };
  for (const url of urls) scope.route({ method: [...own, ...others], url, handler });
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
    connection: connectionOf(raw.socket, raw.headers, trustedProxies),
    body: new BodyReader(raw, lengthOf(raw), memory),
    onClose: (gone) => {
      // A connection also closes for who was answered, and ending what is over costs more than many a request.
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) gone();
      });
    },
  };
}

/** In bytes; undefined: it comes in chunks. */
function lengthOf({ headers }: FastifyRequest['raw']): number | undefined {
  if (headers['content-length'] !== undefined) return Number(headers['content-length']);
  return headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/** Clients compare the content type for equality, so Fastify must not add a charset: a serializer of one's own stops it. */
function send(reply: FastifyReply, outgoing: Outgoing): FastifyReply {
  reply.code(outgoing.status).header('cache-control', 'no-store');
  if (outgoing.headers !== undefined) reply.headers(outgoing.headers);
  if (outgoing.body === undefined) return reply.send();
  return reply
    .header('content-type', outgoing.contentType ?? 'application/json')
    .serializer(asItIs)
    .send(isInPieces(outgoing.body) ? inPieces(reply, outgoing.body) : outgoing.body);
}

/** A file may be long, and who takes it slowly. */
const fileMsMax = 3_600_000;

const sendMsMax = (body: object, { requestTimeoutMs }: HttpParts): number =>
  body instanceof Readable ? Math.max(fileMsMax, requestTimeoutMs) : requestTimeoutMs;

const isInPieces = (body: NonNullable<Outgoing['body']>): body is readonly Buffer[] => Array.isArray(body);

/** A long answer, which goes out as the client takes it. */
function inPieces(reply: FastifyReply, pieces: readonly Buffer[]): Readable {
  reply.header(
    'content-length',
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
  return Readable.from(pieces, { objectMode: false });
}

/** Calls `done` when an answer was taken or its connection ended, which happens after so long at the latest. */
function whenSent({ raw }: FastifyReply, msMax: number, done: () => void): void {
  const cut = setTimeout(() => raw.destroy(), msMax);
  finished(raw, () => {
    clearTimeout(cut);
    done();
  });
}

const asItIs = (text: string): string => text;

/** Fastify's own refusals, in our words; its messages may quote the request. */
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
