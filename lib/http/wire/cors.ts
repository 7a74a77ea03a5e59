import type { CrossOrigin, ReadCrossOrigin } from '../secrets/parts.ts';
import type { Pipeline } from '../secrets/pipeline.ts';
import { header, type Incoming, type Outgoing } from './exchange.ts';

const methods = ['GET', 'LIST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** How long a browser may keep the answer to its question. */
const maxAgeSeconds = 300;

/** Answers browsers that ask what a page may do, and refuses pages of origins that are not allowed. */
export const withCrossOrigin = (read: ReadCrossOrigin | undefined, pipeline: Pipeline): Pipeline =>
  read === undefined
    ? pipeline
    : (incoming) => {
        const origin = header(incoming.headers, 'origin');
        return origin === undefined || origin === ''
          ? pipeline(incoming)
          : fromPage({ read, pipeline }, incoming, origin);
      };

interface Kit {
  readonly read: ReadCrossOrigin;
  readonly pipeline: Pipeline;
}

async function fromPage({ read, pipeline }: Kit, incoming: Incoming, origin: string): Promise<Outgoing> {
  const allowed = await orNothing(read);
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
