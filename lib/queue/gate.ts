import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../core/clock.ts';
import { coalesce } from '../core/coalesce.ts';
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
/** One operation may call a thousand times; what it owes the rate afterwards is paid off within this time. */
const owedSecondsMax = 3_600;
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
  const redis = hastyConnection(redisUrl, log, options.limits);
  const now = () => options.clock?.now().getTime() ?? '';
  const keysOf = (destinationId: string) => [`${prefix}:gate:${destinationId}`, `${prefix}:passes:${destinationId}`];
  const enter = coalesce((entries: readonly Entry[]) => enterAll(redis, keysOf, now(), entries), together);
  const leave = coalesce((exits: readonly Exit[]) => leaveAll(redis, keysOf, now(), exits), together);
  return {
    async enter(destinationId, budget) {
      mustBePositive(budget);
      const pass = randomUUID();
      const [entered, b = 1, reason = 0] = await reach(() => enter({ destinationId, budget, pass }));
      if (entered !== 1) return { open: false, waitMs: b, reason: reasons[reason] ?? 'broken' };
      const enteredAt = now() || Date.now();
      return {
        open: true,
        callsAtOnce: b,
        async leave(verdict, retryAfterMs = 0, calls = 1) {
          const heldMs = Math.max(0, (now() || Date.now()) - enteredAt);
          const afterMs = Math.min(Math.max(0, Math.ceil(retryAfterMs) || 0), retryAfterMsMax);
          const exit = {
            destinationId,
            budget,
            pass,
            sick: verdict === 'sick',
            afterMs,
            heldMs,
            calls,
            random: random(),
          };
          // The work is done whether the gate hears of it or not.
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

const reasons: Readonly<Record<number, 'rate' | 'concurrency' | 'broken'>> = { 1: 'rate', 2: 'concurrency' };

/** A budget of nothing would never let anyone in. */
function mustBePositive({ callsPerSecond, passMs }: GateBudget): void {
  if ([callsPerSecond, passMs].every((limit) => Number.isFinite(limit) && limit > 0)) return;
  throw new Error('a gate budget needs a positive rate and pass time');
}

/** Wants in. */
interface Entry {
  readonly destinationId: string;
  readonly budget: GateBudget;
  readonly pass: string;
}

/** Wants out. */
interface Exit extends Entry {
  readonly sick: boolean;
  readonly afterMs: number;
  readonly heldMs: number;
  readonly calls: number;
  readonly random: number;
}

type KeysOf = (destinationId: string) => readonly string[];

async function enterAll(redis: Redis, keysOf: KeysOf, now: number | '', entries: readonly Entry[]) {
  const groups = Map.groupBy(entries.keys(), (index) => entries[index]?.destinationId ?? '');
  const args = [...groups.values()].flatMap((indices) => {
    const wanting = indices.flatMap((index) => entries[index] ?? []);
    return [...limitsOf(wanting), wanting.length, ...wanting.map(({ pass }) => pass)];
  });
  const answer = numbers(await run(redis, enterScript, [...groups.keys()].flatMap(keysOf), [now, spreadMs, ...args]));
  const results: (readonly number[])[] = new Array(entries.length);
  [...groups.values()].flat().forEach((index, place) => {
    results[index] = answer.slice(place * 3, place * 3 + 3);
  });
  return results;
}

function limitsOf([entry]: readonly Entry[]): readonly number[] {
  if (entry === undefined) return [];
  const { callsPerSecond, burst, concurrencyMax, passMs } = entry.budget;
  return [callsPerSecond, Math.max(1, burst), Math.max(1, concurrencyMax), passMs];
}

async function leaveAll(
  redis: Redis,
  keysOf: KeysOf,
  now: number | '',
  exits: readonly Exit[],
): Promise<readonly undefined[]> {
  const { sickInRow, closedMsFirst, closedMsMax } = breaker;
  const groups = Map.groupBy(exits, ({ destinationId }) => destinationId);
  const args = [...groups.values()].flatMap((leaving) => [
    leaving[0]?.budget.callsPerSecond ?? 1,
    leaving.length,
    ...leaving.flatMap(({ pass, sick, afterMs, heldMs, calls, random }) => [
      pass,
      sick ? 1 : 0,
      afterMs,
      heldMs,
      calls,
      random,
    ]),
  ]);
  const about = [now, sickInRow, closedMsFirst, closedMsMax, owedSecondsMax];
  await run(redis, leaveScript, [...groups.keys()].flatMap(keysOf), [...about, ...args]);
  return exits.map(() => undefined);
}
