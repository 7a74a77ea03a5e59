import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { Secret } from '../../core/secret.ts';
import type { ApiCall, ApiCaller, ApiReply, ApiRow } from '../../path/jsonapi/row.ts';
import type { Pipeline } from '../secrets/pipeline.ts';
import { readBody } from '../wire/body/data.ts';
import { createDeadline, Ending, type Within } from '../wire/connection/connection.ts';
import { header, type Incoming, type Outgoing } from '../wire/exchange.ts';
import { documentOf, mediaType } from './document.ts';
import type { ApiParts } from './parts.ts';
import { createRate, rateHeaders } from './rate.ts';
import { notServing, refusalOf, tooMany, unauthorized, wrongMedia } from './refuse.ts';
import { compileRoutes, type Route } from './routing.ts';

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
      return withHeaders(await respond(kit, incoming), parts.headers);
    } catch (error) {
      return withHeaders(refusalOf(error, incoming.requestId, parts), parts.headers);
    }
  };
}

/** In this order: what there is, whether it can be served, who asks, how often, whether it can be read, and then what it does. */
async function respond(kit: Kit, incoming: Incoming): Promise<Outgoing> {
  const url = new URL(incoming.url, 'http://localhost');
  const { row, parameters } = kit.route(incoming.method, url.pathname);
  incoming.onRoute?.(row.path.slice(1));
  const isOpen = row.open === true;
  if (!isOpen && kit.parts.state() !== 'ready') throw notServing();
  const caller = isOpen ? undefined : await callerOf(kit, incoming);
  const allowance = kit.allow(caller === undefined ? incoming.connection.remoteAddress : bucketOf(caller));
  const rate = rateHeaders(allowance);
  if (allowance?.allowed === false) throw tooMany(rate);
  try {
    if (!isOpen && caller === undefined) throw unauthorized();
    const body = await bodyOf(kit, row, incoming);
    const ending = new Ending(incoming.onClose);
    const call: ApiCall = {
      ...{ requestId: incoming.requestId, parameters, query: url.searchParams, body, headers: incoming.headers },
      ...{ origin: originOf(kit.parts, incoming), url: incoming.url },
      get caller() {
        if (caller === undefined) throw new Error(`${row.path} is open and asks for its caller`);
        return caller;
      },
      get signal() {
        return ending.signal;
      },
      get stream() {
        return incoming.body.pieces(row.streamBytesMax ?? 0);
      },
    };
    const running = row.run(call);
    const reply = row.streamBytesMax === undefined ? await kit.within(running, () => ending.end()) : await running;
    return withHeaders(outgoingOf(reply, call), rate);
  } catch (error) {
    return withHeaders(refusalOf(error, incoming.requestId, kit.parts), rate);
  }
}

async function callerOf({ parts }: Kit, incoming: Incoming): Promise<ApiCaller | undefined> {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(header(incoming.headers, 'authorization') ?? '')?.[1];
  return token === undefined ? undefined : parts.authenticate(new Secret(token), incoming.connection);
}

/** All tokens of one user count together, and who has none by its address (reference, workspaces 1.12). */
const bucketOf = ({ kind, id }: ApiCaller): string => `${kind} ${id}`;

/** The document that came, which a request that changes something has to send as one even without a body. */
async function bodyOf({ parts }: Kit, row: ApiRow, { method, headers, body }: Incoming): Promise<ApiCall['body']> {
  if (row.streamBytesMax !== undefined || method === 'GET' || method === 'HEAD') return undefined;
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

function outgoingOf(reply: ApiReply | undefined, call: ApiCall): Outgoing {
  if (reply === undefined) return { status: 204, body: undefined };
  const headers = reply.headers === undefined ? {} : { headers: reply.headers };
  if ('data' in reply)
    return { status: reply.status ?? 200, ...headers, contentType: mediaType, body: documentOf(reply, call) };
  const { bytes, contentType = 'application/octet-stream' } = reply;
  if (bytes === undefined) return { status: reply.status ?? 204, ...headers, body: undefined };
  return { status: reply.status ?? 200, ...headers, contentType, body: Buffer.isBuffer(bytes) ? [bytes] : bytes };
}

const withHeaders = (outgoing: Outgoing, headers: Readonly<Record<string, string>>): Outgoing => ({
  ...outgoing,
  headers: { ...headers, ...outgoing.headers },
});
