import { createDeadline, type Within } from '../wire/connection/connection.ts';
import { header, type Incoming, type Outgoing, type Pipeline } from '../wire/exchange.ts';
import type { Service } from './parts.ts';

/** What web pages of other origins may do. */
export interface CrossOrigin {
  /** `*` alone allows all origins. */
  readonly origins: readonly string[];
  /** Request headers that a page may send. */
  readonly headers: readonly string[];
}

/** Undefined when cross-origin requests are off; browsers then refuse them themselves. */
export type ReadCrossOrigin = () => Promise<CrossOrigin | undefined>;

const methods = ['GET', 'LIST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** How long a browser may cache the answer to a preflight request. */
const maxAgeSeconds = 300;

/** What handling requests from web pages needs. */
interface PageParts {
  readonly read: ReadCrossOrigin;
  /** Limit for reading the configuration. */
  readonly msMax: number;
  readonly refuse: Service['refuse'];
}

/** Answers preflight requests, and refuses requests from origins that are not allowed. */
export function withCrossOrigin({ read, msMax, refuse }: PageParts, pipeline: Pipeline): Pipeline {
  const kit: Kit = { read, pipeline, within: createDeadline(msMax), refuse };
  return (incoming) => {
    const origin = header(incoming.headers, 'origin');
    return origin === undefined || origin === '' ? pipeline(incoming) : fromPage(kit, incoming, origin);
  };
}

interface Kit {
  readonly read: ReadCrossOrigin;
  readonly pipeline: Pipeline;
  readonly within: Within;
  readonly refuse: Service['refuse'];
}

/** Never rejects. */
async function fromPage(kit: Kit, incoming: Incoming, origin: string): Promise<Outgoing> {
  try {
    return await answerPage(kit, incoming, origin);
  } catch (error) {
    return kit.refuse(error, incoming);
  }
}

async function answerPage({ read, pipeline, within }: Kit, incoming: Incoming, origin: string): Promise<Outgoing> {
  const allowed = await within(orUndefined(read), () => {});
  if (allowed === undefined) return pipeline(incoming);
  if (!isAllowed(allowed, origin)) return refusal;
  if (incoming.method === 'OPTIONS')
    return preflight(allowed, origin, header(incoming.headers, 'access-control-request-method'));
  const outgoing = await pipeline(incoming);
  return { ...outgoing, headers: { ...outgoing.headers, ...originHeaders(origin) } };
}

/** Without the store no request succeeds, and the pipeline reports that better. */
const orUndefined = (read: ReadCrossOrigin): Promise<CrossOrigin | undefined> => read().catch(() => undefined);

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
