import type { Store } from '#store/store.ts';
import { createLimiter, type Passage } from './limiter.ts';
import { bySpecificity, isFor, type Named, type Origin, type RateLimit } from './quota.ts';
import { type QuotaConfig, rateLimits, readQuotaConfig, storedQuotas } from './store.ts';

/** A request as rate limits see it. */
export interface LimitedRequest extends Omit<Origin, 'role'> {
  /** The role of a login; undefined for other requests and logins without a role. Called only when a rate limit names a role. */
  readonly roleOf: () => Promise<string | undefined>;
  /** The key by which requests are counted together: the address of the connection. */
  readonly client: string;
}

export interface RateLimits {
  /** Counts a request. Undefined when no rate limit applies. Never fails; waits only while the limits are being read. */
  pass(request: LimitedRequest): Promise<ShownPassage | undefined> | ShownPassage | undefined;
  /** Invalidates the copy in memory. */
  forget(): void;
}

export interface ShownPassage extends Passage {
  /** Whether replies carry rate limit headers. */
  readonly shown: boolean;
}

interface Copy {
  readonly quotas: readonly Named<RateLimit>[];
  readonly config: QuotaConfig;
  readonly readAt: number;
}

/** A change made by another process applies after this time. */
const ageMsMax = 1_000;

/**
 * The rate limits of this process. A request reads them again once a second. While the store is unavailable, the last known
 * limits apply.
 */
export function openRateLimits(store: Store, now: () => number = () => performance.now()): RateLimits {
  const stored = storedQuotas(store, rateLimits);
  const limiter = createLimiter();
  let copy: Copy | undefined;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const readAt = now();
    try {
      const [quotas, config] = await Promise.all([stored.list(), readQuotaConfig(store)]);
      copy = { quotas: bySpecificity(quotas), config, readAt };
    } catch {
      copy = copy && { ...copy, readAt };
    }
  }
  function passNow(request: LimitedRequest): ReturnType<RateLimits['pass']> {
    const goesByRole = copy?.quotas.some((one) => one.role !== '' && isFor({ ...one, role: '' }, request)) === true;
    return goesByRole ? request.roleOf().then((role) => passAs(request, role)) : passAs(request, undefined);
  }
  function passAs({ client, ...request }: LimitedRequest, role: string | undefined): ShownPassage | undefined {
    const origin = { ...request, role };
    const quota = copy?.quotas.find((one) => isFor(one, origin));
    if (copy === undefined || quota === undefined) return undefined;
    if (isExempt(copy.config, origin.namespace.path + origin.path)) return undefined;
    const group = quota.group_by === 'none' ? '' : client;
    const passage = limiter.pass(quota, `${quota.name}\n${group}`, now());
    return { ...passage, shown: copy.config.enable_rate_limit_response_headers };
  }
  return {
    pass(request) {
      if (copy !== undefined && now() - copy.readAt < ageMsMax) return passNow(request);
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading.then(() => passNow(request));
    },
    forget() {
      copy = undefined;
    },
  };
}

const isExempt = ({ rate_limit_exempt_paths: exempt }: QuotaConfig, path: string): boolean =>
  exempt.some((own) => (own.endsWith('*') ? path.startsWith(own.slice(0, -1)) : path === own));
