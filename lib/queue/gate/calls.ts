import type { Redis } from 'ioredis';
import type { GateBudget, Verdict } from '../contract.ts';
import { numbers, run } from '../redis/call.ts';
import { enterScript, leaveScript } from './scripts.ts';

/** After this many consecutive sick verdicts a gate closes, first for a second, then for twice as long each time. */
export const breaker = { sickInRow: 5, closedMsFirst: 1_000, closedMsMax: 60_000 } as const;
/** Delayed operations are spread over this time, beginning with the first possible moment. */
const spreadMs = 60_000;
/** One operation may make a thousand calls; the debt that it leaves is limited to the calls of this time. */
const owedSecondsMax = 3_600;

/** A request for a pass. */
export interface Entry {
  readonly destinationId: string;
  readonly account: string;
  readonly budget: GateBudget;
  readonly pass: string;
}

/** A pass that is returned. */
export interface Exit extends Entry {
  readonly verdict: Verdict;
  readonly afterMs: number;
  readonly heldMs: number;
  readonly calls: number;
  readonly accountCalls: number;
  readonly random: number;
}

export type KeysOf = (entry: Pick<Entry, 'destinationId' | 'account'>) => readonly string[];

/** The result of an entry: its share of the concurrent calls, or how long to wait, in milliseconds, and why. */
export type Entered =
  | { readonly callsAtOnce: number }
  | { readonly waitMs: number; readonly reason: 'rate' | 'concurrency' | 'circuit-open' };

/** Requests passes; results are in the order of the entries. */
export async function enterAll(
  redis: Redis,
  keysOf: KeysOf,
  now: number | '',
  entries: readonly Entry[],
): Promise<readonly Entered[]> {
  const groups = Map.groupBy(entries.keys(), (index) => gateOf(entries[index]));
  const grouped = [...groups.values()].map((indices) => indices.flatMap((index) => entries[index] ?? []));
  const texts = grouped.map(entryArgument);
  const keys = grouped.flatMap(([first]) => (first === undefined ? [] : keysOf(first)));
  const answer = numbers(await run(redis, enterScript, keys, [now, spreadMs, ...texts]));
  const results: Entered[] = new Array(entries.length);
  [...groups.values()].flat().forEach((index, position) => {
    results[index] = toEntered(answer[position] ?? refusal);
  });
  return results;
}

const gateOf = (entry: Entry | undefined): string => `${entry?.destinationId} ${entry?.account}`;

/** Used when the answer is too short: wait 1 s, circuit open. */
const refusal = -4_003;

function entryArgument(entries: readonly Entry[]): string {
  const [first] = entries;
  if (first === undefined) return '';
  const { callsPerSecond, burst, concurrencyMax, passMs, windowMs = 0 } = first.budget;
  const budget = `${callsPerSecond} ${Math.max(1, burst)} ${Math.max(1, concurrencyMax)} ${passMs} ${windowMs}`;
  return `${budget} ${entries.map(({ pass }) => pass).join(' ')}`;
}

const reasons = ['circuit-open', 'rate', 'concurrency', 'circuit-open'] as const;

function toEntered(number: number): Entered {
  if (number > 0) return { callsAtOnce: number };
  return { waitMs: Math.floor(-number / 4), reason: reasons[-number % 4] ?? 'circuit-open' };
}

/** Returns passes. */
export async function leaveAll(
  redis: Redis,
  keysOf: KeysOf,
  now: number | '',
  exits: readonly Exit[],
): Promise<readonly undefined[]> {
  const { sickInRow, closedMsFirst, closedMsMax } = breaker;
  const groups = [...Map.groupBy(exits, gateOf).values()];
  const common = [now, sickInRow, closedMsFirst, closedMsMax, owedSecondsMax];
  const keys = groups.flatMap(([first]) => (first === undefined ? [] : keysOf(first)));
  await run(redis, leaveScript, keys, [...common, ...groups.map(exitArgument)]);
  return exits.map(() => undefined);
}

function exitArgument(exits: readonly Exit[]): string {
  const { callsPerSecond = 1, windowMs = 0 } = exits[0]?.budget ?? {};
  const rate = `${callsPerSecond} ${windowMs}`;
  if (exits.some(({ verdict, calls }) => verdict !== 'well' || calls === 0))
    return `${rate} each ${exits.map(wordsOf).join(' ')}`;
  const sum = (of: (exit: Exit) => number) => exits.reduce((total, exit) => total + of(exit), 0);
  const heldMs = sum((exit) => exit.heldMs) / exits.length;
  const calls = `${sum((exit) => exit.calls)} ${sum((exit) => exit.accountCalls)}`;
  return `${rate} well ${heldMs} ${calls} ${exits.map(({ pass }) => pass).join(' ')}`;
}

const verdicts: Readonly<Record<Verdict, number>> = { well: 0, sick: 1, throttled: 2 };

const wordsOf = ({ pass, verdict, afterMs, heldMs, calls, accountCalls, random }: Exit): string =>
  `${pass} ${verdicts[verdict]} ${afterMs} ${heldMs} ${calls} ${accountCalls} ${random}`;
