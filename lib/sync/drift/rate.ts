import { setTimeout as sleep } from 'node:timers/promises';
import { type DestinationDefinition, DestinationFailure } from '#destinations/contract.ts';
import type { Gate, GateBudget, GatePass, Verdict } from '#queue/contract.ts';
import { statusOf } from '../model/status.ts';

/** The share of the rate of an account that looks for drift take at most, over all processes. */
export const lookShare = 0.25;

/** The gate learns how much a rate may grow. A share must not, so it is a new one each time, in milliseconds. */
const shareMs = 120_000;

/** Passes are held for one call. */
const passMs = 120_000;

export interface Calls {
  /**
   * Makes a call once the rate allows it. `'later'`: it does not within the time that is left.
   * @param cost as the system counts it
   */
  make<T>(cost: number, call: () => Promise<T>): Promise<{ readonly result: T } | 'later'>;
}

/**
 * The calls of looks to one account. Each takes a token of a rate of their own, a share of the account's, and one of the account itself, so
 * that they neither exceed their share nor come in the way of pushes that use the whole rate.
 */
export function openCalls(
  gate: Gate,
  { rate, costs }: Pick<DestinationDefinition, 'rate' | 'costs'>,
  account: string,
  endsMs: number,
  signal: AbortSignal,
): Calls {
  const { callsPerSecond, burst } = rate;
  const whole: GateBudget = { ...rate, concurrencyMax: 4, passMs };
  const part: GateBudget = {
    callsPerSecond: callsPerSecond * lookShare,
    burst: Math.max(1, burst * lookShare, costs?.look ?? 1),
    concurrencyMax: 2,
    passMs,
  };
  const enter = async (id: string, budget: GateBudget, of: string): Promise<Admitted | 'later'> => {
    for (;;) {
      signal.throwIfAborted();
      const pass = await gate.enter(id, budget, of);
      if (pass.admitted) return pass;
      if (performance.now() + pass.waitMs >= endsMs) return 'later';
      await sleep(pass.waitMs, undefined, { signal });
    }
  };
  return {
    async make(cost, call) {
      const ofLooks = `drift:${account}:${Math.floor(Date.now() / shareMs)}`;
      const share = await enter(ofLooks, part, ofLooks);
      if (share === 'later') return share;
      const own = await enter(`look:${account}`, whole, account).catch((cause: unknown) => cause as Error);
      if (own === 'later' || own instanceof Error) {
        await share.leave('well', undefined, 0);
        if (own === 'later') return own;
        throw own;
      }
      try {
        const result = await call();
        await Promise.all([share, own].map((pass) => pass.leave('well', undefined, cost)));
        return { result };
      } catch (cause) {
        const failure = cause instanceof DestinationFailure ? cause : undefined;
        await share.leave('well', undefined, cost);
        await own.leave(verdictOf(failure), failure?.retryAfterMs, cost);
        throw cause;
      }
    },
  };
}

function verdictOf(failure: DestinationFailure | undefined): Verdict {
  if (failure === undefined || statusOf(failure.kind) !== 'EXTERNAL_SERVICE_ERROR') return 'well';
  return failure.kind === 'throttled' ? 'throttled' : 'sick';
}

type Admitted = Extract<GatePass, { admitted: true }>;
