import type { Redis } from 'ioredis';
import type { GateBudget } from './contract.ts';
import { enterScript, leaveScript } from './gate-scripts.ts';
import { numbers, run } from './script.ts';

/** After so many sick verdicts in a row a gate closes, first for a second, then for twice as long each time. */
export const breaker = { sickInRow: 5, closedMsFirst: 1_000, closedMsMax: 60_000 } as const;
/** Those that are put aside come back within this time of the first possible one. */
const spreadMs = 60_000;
/** One operation may call a thousand times; what it owes the rate afterwards is paid off within this time. */
const owedSecondsMax = 3_600;

/** Wants in. */
export interface Entry {
  readonly destinationId: string;
  readonly budget: GateBudget;
  readonly pass: string;
}

/** Wants out. */
export interface Exit extends Entry {
  readonly sick: boolean;
  readonly afterMs: number;
  readonly heldMs: number;
  readonly calls: number;
  readonly random: number;
}

export type KeysOf = (destinationId: string) => readonly string[];

/** Answers per entry: 1, its share of the calls at once; or 0, how long to wait in ms, reason (see `enterScript`). */
export async function enterAll(redis: Redis, keysOf: KeysOf, now: number | '', entries: readonly Entry[]) {
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

/** Gives passes back. */
export async function leaveAll(
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
