import type { Log } from '../../core/log.ts';
import type { CrossOrigin, HttpParts, ReadCrossOrigin } from '../secrets/parts.ts';
import type { Pipeline } from '../secrets/pipeline.ts';
import { failure } from '../secrets/reply/failure.ts';
import { vocabularyOf } from '../secrets/request/address.ts';
import { createDeadline, type Within } from './connection/connection.ts';
import { header, type Incoming, type Outgoing } from './exchange.ts';

const methods = ['GET', 'LIST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** How long a browser may keep the answer to its question. */
const maxAgeSeconds = 300;

/** Answers browsers that ask what a page may do, and refuses pages of origins that are not allowed. */
export function withCrossOrigin(
  { crossOrigin: read, requestTimeoutMs, log }: Pick<HttpParts, 'crossOrigin' | 'requestTimeoutMs' | 'log'>,
  pipeline: Pipeline,
): Pipeline {
  if (read === undefined) return pipeline;
  const kit: Kit = { read, pipeline, within: createDeadline(requestTimeoutMs), log };
  return (incoming) => {
    const origin = header(incoming.headers, 'origin');
    return origin === undefined || origin === '' ? pipeline(incoming) : fromPage(kit, incoming, origin);
  };
}

interface Kit {
  readonly read: ReadCrossOrigin;
  readonly pipeline: Pipeline;
  readonly within: Within;
  readonly log: Log;
}

/** Never rejects. */
async function fromPage(kit: Kit, incoming: Incoming, origin: string): Promise<Outgoing> {
  try {
    return await answerPage(kit, incoming, origin);
  } catch (error) {
    const vocabulary = vocabularyOf(incoming.headers, '');
    return failure(error, { requestId: incoming.requestId, vocabulary, log: kit.log });
  }
}

async function answerPage({ read, pipeline, within }: Kit, incoming: Incoming, origin: string): Promise<Outgoing> {
  const allowed = await within(orNothing(read), () => {});
  if (allowed === undefined) return pipeline(incoming);
  if (!isAllowed(allowed, origin)) return refusal;
  if (incoming.method === 'OPTIONS')
    return preflight(allowed, origin, header(incoming.headers, 'access-control-request-method'));
  const outgoing = await pipeline(incoming);
  return { ...outgoing, headers: { ...outgoing.headers, ...originHeaders(origin) } };
}

/** Without the store nobody can do anything, and the pipeline has the right words for that. */
const orNothing = (read: ReadCrossOrigin): Promise<CrossOrigin | undefined> => read().catch(() => undefined);

const isAllowed = ({ origins }: CrossOrigin, origin: string): boolean => origins[0] === '*' || origins.includes(origin);

function preflight({ headers }: CrossOrigin, origin: string, method: string | undefined): Outgoing {
  if (method === undefined || !methods.includes(method))
    return { status: 405, headers: { allow: methods.join(', ') }, body: noErrors };
  return {
    status: 204,
    headers: {
      ...originHeaders(origin),
      'access-control-allow-methods': methods.join(','),
      'access-control-allow-headers': headers.join(','),
      'access-control-max-age': String(maxAgeSeconds),
    },
    body: undefined,
  };
}

const originHeaders = (origin: string) => ({ 'access-control-allow-origin': origin, vary: 'Origin' });

const noErrors = JSON.stringify({ errors: [] });
const refusal: Outgoing = {
  status: 403,
  headers: { vary: 'Origin' },
  body: JSON.stringify({ errors: ['origin not allowed'] }),
};
