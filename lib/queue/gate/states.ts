import type { Redis } from 'ioredis';
import type { Clock } from '#core/clock.ts';
import type { GateState } from '../contract.ts';
import { cutting } from './learning.ts';

/** Destinations per round trip. */
const together = 500;

/** The states of gates, by the clock of Redis unless another one is given, in the order of the ids. Nothing is changed. */
export async function gateStates(
  redis: Redis,
  prefix: string,
  ids: readonly string[],
  clock?: Clock,
): Promise<readonly GateState[]> {
  const states: GateState[] = [];
  for (let from = 0; from < ids.length; from += together)
    states.push(...(await statesOf(redis, prefix, ids.slice(from, from + together), clock)));
  return states;
}

async function statesOf(redis: Redis, prefix: string, ids: readonly string[], clock?: Clock) {
  const keys = ids.map((id) => `${prefix}:gate:${id}`);
  const [nowMs, gates] = await Promise.all([
    clock?.now().getTime() ?? timeOf(redis),
    fieldsOf(redis, keys, ['t', 's', 'c', 'y', 'w', 'x', 'a']),
  ]);
  const accounts = [...new Set(gates.flatMap((gate) => gate[6] ?? []))];
  const learned = await fieldsOf(redis, accounts, ['l']);
  const limits = new Map(accounts.map((account, index) => [account, number(learned[index]?.[0])]));
  return gates.map(
    ([tokens, sinceMs, closedUntil, closedByThrottling, cutSince, cutUntil, account]): GateState => ({
      ...circuitAt(nowMs, number(closedUntil)),
      openedBy: closedUntil === undefined ? undefined : closedByThrottling === undefined ? 'silence' : 'throttling',
      available: tokens === undefined ? undefined : { tokens: Number(tokens), idleMs: idleMs(nowMs, number(sinceMs)) },
      limit: limits.get(account ?? ''),
      throttledSince: throttledAt(nowMs, number(cutSince), number(cutUntil)),
    }),
  );
}

function circuitAt(nowMs: number, closedUntilMs: number | undefined): Pick<GateState, 'circuit' | 'openUntil'> {
  if (closedUntilMs === undefined) return { circuit: 'closed', openUntil: undefined };
  if (closedUntilMs <= nowMs) return { circuit: 'half-open', openUntil: undefined };
  return { circuit: 'open', openUntil: new Date(closedUntilMs) };
}

const idleMs = (nowMs: number, sinceMs = nowMs) => Math.max(0, nowMs - sinceMs);

/** Since when throttling cuts a destination, if it did so for longer than a moment, and did so lately. */
function throttledAt(nowMs: number, sinceMs: number | undefined, untilMs: number | undefined): Date | undefined {
  if (sinceMs === undefined || untilMs === undefined || untilMs - sinceMs < cutting.momentMs) return undefined;
  return nowMs <= untilMs + cutting.calmMs ? new Date(sinceMs) : undefined;
}

type Found = readonly (string | undefined)[];

/** Fields of hashes, in one round trip. */
async function fieldsOf(
  redis: Redis,
  keys: readonly string[],
  [first = '', ...more]: readonly string[],
): Promise<readonly Found[]> {
  if (keys.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const key of keys) pipeline.hmget(key, first, ...more);
  return ((await pipeline.exec()) ?? []).map(([error, answer]) => {
    if (error !== null) throw error;
    return Array.isArray(answer) ? answer.map((one) => (one === null ? undefined : String(one))) : [];
  });
}

async function timeOf(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
