import { TooManyRequests } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import type { Exchange } from '../exchange.ts';
import type { Stage } from '../stage.ts';

/** The outcome of the rate limits for a request. */
export interface CountedRequest {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** Replies show it in headers. */
  readonly shown: boolean;
}

type Counted = CountedRequest | undefined;

/** Counts a request. Undefined when no rate limit applies to it. */
export type CountRequest = (request: {
  readonly namespace: Namespace;
  /** Below the namespace. */
  readonly path: string;
  /** The role of a login; undefined when the request is not a login or has no role. */
  readonly roleOf: () => Promise<string | undefined>;
  readonly client: string;
}) => Promise<Counted> | Counted;

/**
 * Refuses requests beyond the rate limits before their token is looked up. Operations that work in any state are not limited,
 * because health checks and unsealing need them.
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
