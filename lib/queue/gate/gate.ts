import type { Clock } from '../../core/clock.ts';
import { coalesce } from '../../core/concurrency/coalesce.ts';
import { randomBase62 } from '../../core/ids.ts';
import { type Log, silentLog } from '../../core/log.ts';
import type { Gate, GateBudget, GatePass } from '../contract.ts';
import { usualPrefix } from '../parts.ts';
import { reach } from '../redis/call.ts';
import { type ConnectionLimits, failFastConnection } from '../redis/connection.ts';
import { type Entry, type Exit, enterAll, type KeysOf, leaveAll } from './calls.ts';

const retryAfterMsMax = 3_600_000;
/** What comes and goes at once, of all destinations, is one round trip. */
const together = { batchSizeMax: 200, batchesMax: 4 };

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
  const redis = failFastConnection(redisUrl, log, options.limits);
  const now = () => options.clock?.now().getTime() ?? '';
  const keysOf: KeysOf = ({ destinationId, account }) => [
    `${prefix}:gate:${destinationId}`,
    `${prefix}:passes:${destinationId}`,
    `${prefix}:account:${account}`,
  ];
  // Of all the passes of a destination, ours begin with this.
  const own = `${randomBase62(12)}.`;
  let passes = 0;
  const enter = coalesce((entries: readonly Entry[]) => enterAll(redis, keysOf, now(), entries), together);
  const leave = coalesce((exits: readonly Exit[]) => leaveAll(redis, keysOf, now(), exits), together);
  return {
    async enter(destinationId, budget, account = destinationId) {
      mustBePositive(budget);
      passes += 1;
      const pass = `${own}${passes.toString(36)}`;
      const entered = await reach(() => enter({ destinationId, account, budget, pass }));
      if (!('callsAtOnce' in entered)) return { admitted: false, ...entered };
      const enteredAt = now() || Date.now();
      return {
        admitted: true,
        callsAtOnce: entered.callsAtOnce,
        async leave(verdict, retryAfterMs = 0, calls = 1, accountCalls = calls) {
          const heldMs = Math.max(0, (now() || Date.now()) - enteredAt);
          const afterMs = Math.min(Math.max(0, Math.ceil(retryAfterMs) || 0), retryAfterMsMax);
          const exit = {
            destinationId,
            account,
            budget,
            pass,
            sick: verdict === 'sick',
            afterMs,
            heldMs,
            calls,
            accountCalls,
            random: random(),
          };
          // The work is done whether the gate notices it or not.
          await leave(exit).catch((cause: unknown) => {
            log.warn({ error: cause instanceof Error ? cause.message : 'unknown' }, 'a gate pass was not given back');
          });
        },
      } satisfies GatePass;
    },
    async close() {
      redis.disconnect();
    },
  };
}

/** A budget of nothing would never let anyone in. */
function mustBePositive({ callsPerSecond, passMs }: GateBudget): void {
  if ([callsPerSecond, passMs].every((limit) => Number.isFinite(limit) && limit > 0)) return;
  throw new Error('a gate budget needs a positive rate and pass time');
}
