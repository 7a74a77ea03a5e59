import { Readable } from 'node:stream';
import { AppError } from '#core/errors.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import { Secret } from '#core/secret.ts';
import type { ApiCaller, ApiReply, ApiRow, PaddedReply, RowReply } from '#path/jsonapi/row.ts';
import { hidden, shownPath } from '#path/shown-path.ts';
import { readBody } from '../wire/body/data.ts';
import { createDeadline, type Within } from '../wire/connection/connection.ts';
import { header, type Incoming, type Outgoing, type Pipeline } from '../wire/exchange.ts';
import { recordedPath, recordOutcome, recordRequest } from './audit.ts';
import { mediaType, originOf, outgoingOf, withHeaders } from './document.ts';
import { Exchange, type Outcome } from './exchange.ts';
import { Padding } from './padding.ts';
import type { ApiParts } from './parts.ts';
import { createRate, rateHeaders } from './rate.ts';
import { notServing, refusalOf, tooMany, unauthorized, wrongMedia } from './refuse.ts';
import { compileRoutes, type Found, type Route } from './routing.ts';
import { runRow } from './run.ts';

interface Kit {
  readonly parts: ApiParts;
  readonly route: Route;
  readonly within: Within;
  /** For replies that are awaited. */
  readonly withinAwaited: Within;
  readonly padding: Padding;
  readonly allow: ReturnType<typeof createRate>;
}

/** Answers requests to the workspace service. It never rejects: errors become replies. */
export function createApiPipeline(parts: ApiParts): Pipeline {
  const kit: Kit = {
    parts,
    route: compileRoutes(parts.rows),
    within: createDeadline(parts.requestTimeoutMs),
    withinAwaited: createDeadline(awaitedMsMax),
    padding: new Padding(parts.paddingMs),
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

/** Limit for a reply that is awaited, in milliseconds. */
const awaitedMsMax = 900_000;

async function respond(kit: Kit, exchange: Exchange): Promise<Outgoing> {
  const outcome = await outcomeOf(run(kit, exchange));
  if ('error' in outcome) return answered(kit, exchange, outcome);
  const { reply } = outcome;
  if (!isPadded(reply)) return answered(kit, exchange, { reply });
  const awaited = kit.withinAwaited(reply.awaited, () => exchange.ending.end());
  const later = outcomeOf(awaited).then((known) => answered(kit, exchange, known));
  return withHeaders(await kit.padding.around(later), exchange.rate);
}

const isPadded = (reply: RowReply): reply is PaddedReply => reply !== undefined && 'awaited' in reply;

/** Never rejects. */
async function answered(kit: Kit, exchange: Exchange, outcome: Outcome): Promise<Outgoing> {
  const { parts } = kit;
  const { incoming } = exchange;
  const location = () => ({ origin: originOf(parts, incoming), url: incoming.url });
  try {
    return withHeaders(outgoingOf(await recorded(kit, exchange, outcome), location), exchange.rate);
  } catch (error) {
    return withHeaders(refusalOf(error, incoming.requestId, parts), exchange.rate);
  }
}

/** The reply, after the audit devices have recorded the outcome within a separate time limit. @throws the error of the outcome */
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

/** Closes a file that is not sent. */
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
async function outcomeOf<Reply>(
  work: Promise<Reply>,
): Promise<{ readonly reply: Reply } | { readonly error: unknown }> {
  try {
    return { reply: await work };
  } catch (error) {
    return { error };
  }
}

/** Finds the row, checks that the service can serve it, admits the request, and then runs it. */
async function run(kit: Kit, exchange: Exchange): Promise<RowReply> {
  const { incoming, url, ending } = exchange;
  const found = kit.route(incoming.method, url.pathname);
  exchange.found = found;
  const { row } = found;
  reportRoute(exchange, row);
  // Audit devices can only record while the store is open.
  if (row.unrecorded !== true && kit.parts.state() !== 'ready') throw notServing();
  const within = <T>(work: Promise<T>): Promise<T> => kit.within(work, () => ending.end());
  if (!hasDocument(row, incoming)) {
    if (row.streamBytesMax === undefined) return within(answer(kit, exchange, found));
    await within(admit(kit, exchange, found));
    await within(recordRequest(kit.parts, exchange));
    return runRow(kit.parts, exchange, found);
  }
  await within(admit(kit, exchange, found));
  // The server itself limits the time in which a client may send the body.
  exchange.body = await bodyOf(kit, incoming);
  return within(perform(kit, exchange, found));
}

/** Admits and runs a request within one time limit, since finding the caller already uses the database. */
async function answer(kit: Kit, exchange: Exchange, found: Found): Promise<RowReply> {
  await admit(kit, exchange, found);
  return perform(kit, exchange, found);
}

/** Finds the caller and applies the rate limit. @throws Refused 401, 429 */
async function admit(kit: Kit, exchange: Exchange, { row, parameters }: Found): Promise<void> {
  const { incoming } = exchange;
  if (!row.open) await identify(kit, exchange);
  const { caller } = exchange;
  const anonymous = () => row.countedBy?.(parameters) ?? incoming.connection.remoteAddress;
  const allowance = kit.allow(caller === undefined ? anonymous() : bucketOf(caller));
  exchange.rate = rateHeaders(allowance);
  if (allowance?.allowed === false) throw tooMany(exchange.rate);
  if (!row.open && caller === undefined) throw unauthorized();
}

/** Records the request and runs it. */
async function perform(kit: Kit, exchange: Exchange, found: Found): Promise<RowReply> {
  await recordRequest(kit.parts, exchange);
  // The caller has already received an error and may have sent the request again.
  if (exchange.ending.isOver) throw new AppError('unavailable', 'the request took too long');
  return runRow(kit.parts, exchange, found);
}

function reportRoute(exchange: Exchange, row: ApiRow): void {
  const { onRoute } = exchange.incoming;
  if (onRoute === undefined) return;
  const { path, secrets } = recordedPath(exchange);
  onRoute(row.path.slice(1), `/${shownPath(path, secrets, hidden)}`);
}

async function identify({ parts }: Kit, exchange: Exchange): Promise<void> {
  const { headers, connection } = exchange.incoming;
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(header(headers, 'authorization') ?? '')?.[1];
  if (token === undefined) return;
  exchange.token = new Secret(token);
  exchange.caller = await parts.authenticate(exchange.token, connection);
}

/** All tokens of one user share a limit. */
const bucketOf = ({ kind, id, tokenId }: ApiCaller): string => `${kind} ${kind === 'agents' ? tokenId : id}`;

const hasDocument = (row: ApiRow, { method }: Incoming): boolean =>
  row.streamBytesMax === undefined && method !== 'GET' && method !== 'HEAD';

/**
 * The document that was sent. Requests that change something must name its media type even without a body. @throws Refused 415,
 * AppError
 */
async function bodyOf({ parts }: Kit, { headers, body }: Incoming): Promise<Json | undefined> {
  const contentType = header(headers, 'content-type') ?? '';
  if (contentType.split(';', 1)[0]?.trim().toLowerCase() !== mediaType) throw wrongMedia();
  if (!(await body.first(parts.bodyLimitBytes)))
    throw new AppError('too-large', `the body may have at most ${parts.bodyLimitBytes} bytes`);
  const text = body.text();
  if (text === '') return undefined;
  return (await readBody(text, mediaType, (members) => body.weigh(members))) as JsonObject;
}
