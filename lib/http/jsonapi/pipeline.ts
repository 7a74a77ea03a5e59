import { Readable } from 'node:stream';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { Secret } from '../../core/secret.ts';
import type { ApiCall, ApiCaller, ApiReply, ApiRow } from '../../path/jsonapi/row.ts';
import { hidden, shownPath } from '../../path/shown-path.ts';
import type { Pipeline } from '../secrets/pipeline.ts';
import { readBody } from '../wire/body/data.ts';
import { createDeadline, type Within } from '../wire/connection/connection.ts';
import { header, type Incoming, type Outgoing } from '../wire/exchange.ts';
import { recordedPath, recordOutcome, recordRequest } from './audit.ts';
import { documentOf, type Location, mediaType } from './document.ts';
import { Exchange, type Outcome } from './exchange.ts';
import type { ApiParts } from './parts.ts';
import { createRate, rateHeaders } from './rate.ts';
import { notServing, refusalOf, tooMany, unauthorized, wrongMedia } from './refuse.ts';
import { compileRoutes, type Found, type Route } from './routing.ts';

interface Kit {
  readonly parts: ApiParts;
  readonly route: Route;
  readonly within: Within;
  readonly allow: ReturnType<typeof createRate>;
}

/** Answers requests of the workspace service. It never rejects: what goes wrong becomes an answer. */
export function createApiPipeline(parts: ApiParts): Pipeline {
  const kit: Kit = {
    parts,
    route: compileRoutes(parts.rows),
    within: createDeadline(parts.requestTimeoutMs),
    allow: createRate(parts.requestsPerSecond, () => parts.clock.now().getTime()),
  };
  return async (incoming) => {
    try {
      return withHeaders(await respond(kit, new Exchange(incoming)), parts.headers);
    } catch (error) {
      return withHeaders(refusalOf(error, incoming.requestId, parts), parts.headers);
    }
  };
}

async function respond(kit: Kit, exchange: Exchange): Promise<Outgoing> {
  const { parts } = kit;
  const { incoming } = exchange;
  const location = () => ({ origin: originOf(parts, incoming), url: incoming.url });
  try {
    return withHeaders(
      outgoingOf(await recorded(kit, exchange, await outcomeOf(kit, exchange)), location),
      exchange.rate,
    );
  } catch (error) {
    return withHeaders(refusalOf(error, incoming.requestId, parts), exchange.rate);
  }
}

/** The reply, when what came of the request was recorded, which has its own time. @throws what was thrown */
async function recorded({ parts, within }: Kit, exchange: Exchange, outcome: Outcome): Promise<ApiReply | undefined> {
  try {
    await within(recordOutcome(parts, exchange, outcome), () => {});
  } catch (error) {
    discard(outcome);
    throw error;
  }
  if ('error' in outcome) throw outcome.error;
  return outcome.reply;
}

/** A file that is not sent. */
function discard(outcome: Outcome): void {
  if (
    'reply' in outcome &&
    outcome.reply !== undefined &&
    'bytes' in outcome.reply &&
    outcome.reply.bytes instanceof Readable
  )
    outcome.reply.bytes.destroy();
}

/** Never rejects. */
async function outcomeOf(kit: Kit, exchange: Exchange): Promise<Outcome> {
  try {
    return { reply: await run(kit, exchange) };
  } catch (error) {
    return { error };
  }
}

/** In this order: what there is, whether it can be served, whether the request is admitted, and then what it does. */
async function run(kit: Kit, exchange: Exchange): Promise<ApiReply | undefined> {
  const { incoming, url, ending } = exchange;
  const found = kit.route(incoming.method, url.pathname);
  exchange.found = found;
  const { row } = found;
  reportRoute(exchange, row);
  // What is recorded can be while the audit devices can be read.
  if (row.unrecorded !== true && kit.parts.state() !== 'ready') throw notServing();
  const within = <T>(work: Promise<T>): Promise<T> => kit.within(work, () => ending.end());
  if (!hasDocument(row, incoming)) {
    if (row.streamBytesMax === undefined) return within(answer(kit, exchange, found));
    await within(admit(kit, exchange, found));
    await within(recordRequest(kit.parts, exchange));
    return row.run(callOf(kit, exchange, found));
  }
  await within(admit(kit, exchange, found));
  // The server limits the time for which a client may send.
  exchange.body = await bodyOf(kit, incoming);
  return within(perform(kit, exchange, found));
}

/** All of it within one limit: who asks may have to be looked up in a database that does not answer. */
async function answer(kit: Kit, exchange: Exchange, found: Found): Promise<ApiReply | undefined> {
  await admit(kit, exchange, found);
  return perform(kit, exchange, found);
}

/** Who asks, and how often. */
async function admit(kit: Kit, exchange: Exchange, { row, parameters }: Found): Promise<void> {
  const { incoming } = exchange;
  const isOpen = row.open === true;
  if (!isOpen) await identify(kit, exchange);
  const { caller } = exchange;
  const anonymous = () => row.countedBy?.(parameters) ?? incoming.connection.remoteAddress;
  const allowance = kit.allow(caller === undefined ? anonymous() : bucketOf(caller));
  exchange.rate = rateHeaders(allowance);
  if (allowance?.allowed === false) throw tooMany(exchange.rate);
  if (!isOpen && caller === undefined) throw unauthorized();
}

/** The record of a request, and then what it does. */
async function perform(kit: Kit, exchange: Exchange, found: Found): Promise<ApiReply | undefined> {
  await recordRequest(kit.parts, exchange);
  // Its caller has been refused meanwhile, and may have asked again.
  if (exchange.ending.isOver) throw new AppError('unavailable', 'the request took too long');
  return found.row.run(callOf(kit, exchange, found));
}

function reportRoute(exchange: Exchange, row: ApiRow): void {
  const { onRoute } = exchange.incoming;
  if (onRoute === undefined) return;
  const { path, secrets } = recordedPath(exchange);
  onRoute(row.path.slice(1), `/${shownPath(path, secrets, hidden)}`);
}

function callOf({ parts }: Kit, exchange: Exchange, { row, parameters }: Found): ApiCall {
  const { incoming, url, body, caller, ending } = exchange;
  return {
    ...{ requestId: incoming.requestId, parameters, query: url.searchParams, body, headers: incoming.headers },
    ...{ origin: originOf(parts, incoming), url: incoming.url },
    get caller() {
      if (caller === undefined) throw new Error(`${row.path} is open and asks for its caller`);
      return caller;
    },
    get signal() {
      return ending.signal;
    },
    get stream() {
      return counted(exchange, incoming.body.pieces(row.streamBytesMax ?? 0));
    },
  };
}

async function* counted(exchange: Exchange, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    exchange.receivedBytes += piece.length;
    yield piece;
  }
}

async function identify({ parts }: Kit, exchange: Exchange): Promise<void> {
  const { headers, connection } = exchange.incoming;
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(header(headers, 'authorization') ?? '')?.[1];
  if (token === undefined) return;
  exchange.token = new Secret(token);
  exchange.caller = await parts.authenticate(exchange.token, connection);
}

/** All tokens of one user count together. */
const bucketOf = ({ kind, id }: ApiCaller): string => `${kind} ${id}`;

const hasDocument = (row: ApiRow, { method }: Incoming): boolean =>
  row.streamBytesMax === undefined && method !== 'GET' && method !== 'HEAD';

/** The document that came, which a request that changes something has to send as one even without a body. */
async function bodyOf({ parts }: Kit, { headers, body }: Incoming): Promise<ApiCall['body']> {
  const contentType = header(headers, 'content-type') ?? '';
  if (contentType.split(';', 1)[0]?.trim().toLowerCase() !== mediaType) throw wrongMedia();
  if (!(await body.first(parts.bodyLimitBytes)))
    throw new AppError('too-large', `the body may have at most ${parts.bodyLimitBytes} bytes`);
  const text = body.text();
  if (text === '') return undefined;
  return (await readBody(text, mediaType, (members) => body.weigh(members))) as JsonObject;
}

/** As the client knows this service: links that it follows are made of it. */
function originOf({ origin }: ApiParts, { headers, connection }: Incoming): string {
  if (origin !== undefined) return origin;
  const sent = `${connection.tls ? 'https' : 'http'}://${header(headers, 'host') ?? ''}`;
  // Whatever stands in the header: a link is made of it.
  return URL.canParse(sent) ? new URL(sent).origin : 'http://localhost';
}

function outgoingOf(reply: ApiReply | undefined, location: () => Location): Outgoing {
  if (reply === undefined) return { status: 204, body: undefined };
  const headers = reply.headers === undefined ? {} : { headers: reply.headers };
  if ('data' in reply)
    return { status: reply.status ?? 200, ...headers, contentType: mediaType, body: documentOf(reply, location()) };
  const { bytes, contentType = 'application/octet-stream' } = reply;
  if (bytes === undefined) return { status: reply.status ?? 204, ...headers, body: undefined };
  return { status: reply.status ?? 200, ...headers, contentType, body: Buffer.isBuffer(bytes) ? [bytes] : bytes };
}

const withHeaders = (outgoing: Outgoing, headers: Readonly<Record<string, string>>): Outgoing => ({
  ...outgoing,
  headers: { ...headers, ...outgoing.headers },
});
