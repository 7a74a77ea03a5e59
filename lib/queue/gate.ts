import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../core/clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import { type ConnectionLimits, hastyConnection } from './connection.ts';
import type { Gate, GateBudget, GatePass } from './contract.ts';
import { enterScript, leaveScript } from './gate-scripts.ts';
import { usualPrefix } from './keys.ts';
import { numbers, run } from './script.ts';
import { reach } from './unavailable.ts';

/** After so many sick verdicts in a row a gate closes, first for a second, then for twice as long each time. */
export const breaker = { sickInRow: 5, closedMsFirst: 1_000, closedMsMax: 60_000 } as const;
const retryAfterMsMax = 3_600_000;
/** Those that are put aside come back within this time of the first possible one. */
const spreadMs = 60_000;

export interface GateOptions {
  readonly redisUrl: string;
  readonly prefix?: string;
  readonly log?: Log;
  /** Absent: the time of Redis, which is one for all processes. */
  readonly clock?: Clock;
  /** From 0 to 1; spreads the end of closings. */
  readonly random?: () => number;
  readonly limits?: ConnectionLimits;
}

export interface OpenGate extends Gate {
  close(): Promise<void>;
}

/**
 * Opens the gates of all destinations. Redis losing its data opens them all with a full budget. While Redis is away,
 * `enter` fails with AppError `unavailable`; a pass that cannot be given back ends by itself.
 */
export function openGate(options: GateOptions): OpenGate {
  const { redisUrl, prefix = usualPrefix, log = silentLog, random = Math.random } = options;
  const redis = hastyConnection(redisUrl, log, options.limits);
  const now = () => options.clock?.now().getTime() ?? '';
  return {
    async enter(destinationId, budget) {
      const keys = [`${prefix}:gate:${destinationId}`, `${prefix}:passes:${destinationId}`];
      const pass = randomUUID();
      const args = [now(), pass, ...limitsOf(budget), spreadMs];
      const answer = numbers(await reach(() => run(redis, enterScript, keys, args)));
      return answer[0] === 1 ? openPass({ redis, keys, pass, now, random, log }) : refusal(answer);
    },
    async close() {
      redis.disconnect();
    },
  };
}

/** A budget of nothing would never let anyone in. */
function limitsOf({ callsPerSecond, burst, concurrencyMax, passMs }: GateBudget): readonly number[] {
  const limits = [callsPerSecond, Math.max(1, burst), Math.max(1, concurrencyMax), passMs];
  if (limits.every((limit) => Number.isFinite(limit) && limit > 0)) return limits;
  throw new Error('a gate budget needs a positive rate and pass time');
}

const reasons = { 1: 'rate', 2: 'concurrency', 3: 'broken' } as const;

function refusal([, waitMs = 1, reason]: readonly number[]): GatePass {
  const known = reason === 1 || reason === 2 ? reason : 3;
  return { open: false, waitMs, reason: reasons[known] };
}

interface PassParts {
  readonly redis: Redis;
  readonly keys: readonly string[];
  readonly pass: string;
  readonly now: () => number | '';
  readonly random: () => number;
  readonly log: Log;
}

function openPass({ redis, keys, pass, now, random, log }: PassParts): GatePass {
  const { sickInRow, closedMsFirst, closedMsMax } = breaker;
  const enteredAt = now() || Date.now();
  return {
    open: true,
    async leave(verdict, retryAfterMs = 0) {
      const heldMs = Math.max(0, (now() || Date.now()) - enteredAt);
      const after = Math.min(Math.max(0, Math.ceil(retryAfterMs) || 0), retryAfterMsMax);
      const about = [now(), pass, verdict === 'sick' ? 1 : 0, after, heldMs];
      try {
        await run(redis, leaveScript, keys, [...about, sickInRow, closedMsFirst, closedMsMax, random()]);
      } catch (cause) {
        // The work is done whether the gate hears of it or not.
        log.warn({ error: cause instanceof Error ? cause.message : 'unknown' }, 'a gate pass was not given back');
      }
    },
  };
}
