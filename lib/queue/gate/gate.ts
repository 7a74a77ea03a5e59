import type { Clock } from '#core/clock.ts';
import { coalesce } from '#core/concurrency/coalesce.ts';
import { randomBase62 } from '#core/ids.ts';
import { type Log, silentLog } from '#core/log/log.ts';
import type { Gate, GateBudget, GatePass } from '../contract.ts';
import { usualPrefix } from '../parts.ts';
import { reach } from '../redis/call.ts';
import { type ConnectionLimits, failFastConnection } from '../redis/connection.ts';
import { type Entry, type Exit, enterAll, type KeysOf, leaveAll } from './calls.ts';

const retryAfterMsMax = 3_600_000;
/** Concurrent entries and exits of all destinations share round trips. */
const together = { batchSizeMax: 200, batchesMax: 4 };

export interface GateOptions {
  readonly redisUrl: string;
  readonly prefix?: string;
  readonly log?: Log;
  /** Default: the clock of Redis, which is the same for all processes. */
  readonly clock?: Clock;
  /** From 0 to 1; spreads the moments at which gates reopen. */
  readonly random?: () => number;
  readonly limits?: ConnectionLimits;
}

export interface OpenGate extends Gate {
  close(): Promise<void>;
}

/**
 * Connects to the gates of all destinations. If Redis loses its data, all gates are open with a full budget at the published limit. While Redis is
 * unavailable, `enter` fails with AppError `unavailable`; a pass that cannot be returned expires.
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
  // The passes of this process have this prefix.
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
            verdict,
            afterMs,
            heldMs,
            calls,
            accountCalls,
            random: random(),
          };
          // The work is done even if the gate does not learn of it.
          await leave(exit).catch((cause: unknown) => {
            log.warn(
              { error: cause instanceof Error ? cause.message : 'unknown' },
              'a gate pass could not be returned',
            );
          });
        },
      } satisfies GatePass;
    },
    async close() {
      redis.disconnect();
    },
  };
}

/** A budget of zero would refuse every entry. */
function mustBePositive({ callsPerSecond, passMs }: GateBudget): void {
  if ([callsPerSecond, passMs].every((limit) => Number.isFinite(limit) && limit > 0)) return;
  throw new Error('a gate budget needs a positive rate and pass time');
}
