import { TooManyRequests } from '../../../core/errors.ts';
import type { Namespace } from '../../../core/namespace.ts';
import type { Exchange, Stage } from './stages.ts';

/** What rate limits say of a request. */
export interface CountedRequest {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** Replies are to tell of it. */
  readonly shown: boolean;
}

type Counted = CountedRequest | undefined;

/** Counts a request; undefined: no rate limit is for it. */
export type CountRequest = (request: {
  readonly namespace: Namespace;
  /** Below the namespace. */
  readonly path: string;
  /** The role of a login; undefined: it is none, or by no role. */
  readonly roleOf: () => Promise<string | undefined>;
  readonly client: string;
}) => Promise<Counted> | Counted;

/**
 * Refuses requests beyond the rate limits, before anybody looks for their token. What answers in any state is not limited: it
 * is asked by those who watch the service or open its seal.
 */
export const rateStage = (count: CountRequest): Stage => ({
  at: 'address',
  before(exchange) {
    const { always, asked, incoming, namespace } = exchange;
    if (always !== undefined) return undefined;
    const client = incoming.connection.remoteAddress;
    const roleOf = () => loginRole(exchange);
    const counted = count({ namespace, path: asked.path, roleOf, client });
    return counted instanceof Promise ? counted.then((late) => apply(exchange, late)) : apply(exchange, counted);
  },
});

async function loginRole({ asked, data, target }: Exchange): Promise<string | undefined> {
  if (target?.path !== 'login' || asked.verb !== 'write') return undefined;
  return target.engine.loginRole?.(data, target.mount);
}

/** @throws AppError `too-many-requests` */
function apply(exchange: Exchange, counted: Counted): void {
  if (counted === undefined) return;
  const headers = counted.shown ? headersOf(counted) : undefined;
  if (counted.allowed) exchange.headers = headers;
  else {
    const text = `request path ${JSON.stringify(exchange.asked.path)}: rate limit quota exceeded`;
    throw new TooManyRequests(text, counted.resetSeconds, headers);
  }
}

const headersOf = ({ limit, remaining, resetSeconds }: CountedRequest) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetSeconds),
});
