import type { Redis } from 'ioredis';
import type { GateState } from '../contract.ts';

/** Destinations per round trip. */
const together = 500;

/** The states of gates by the clock of Redis, in the order of the ids. Nothing is changed. */
export async function gateStates(redis: Redis, prefix: string, ids: readonly string[]): Promise<readonly GateState[]> {
  const states: GateState[] = [];
  for (let from = 0; from < ids.length; from += together)
    states.push(...(await statesOf(redis, prefix, ids.slice(from, from + together))));
  return states;
}

async function statesOf(redis: Redis, prefix: string, ids: readonly string[]): Promise<readonly GateState[]> {
  const keys = ids.map((id) => `${prefix}:gate:${id}`);
  const [nowMs, gates] = await Promise.all([timeOf(redis), fieldsOf(redis, keys, ['t', 's', 'c', 'a'])]);
  const accounts = [...new Set(gates.flatMap(([, , , account]) => account ?? []))];
  const learned = await fieldsOf(redis, accounts, ['l']);
  const limits = new Map(accounts.map((account, index) => [account, number(learned[index]?.[0])]));
  return gates.map(([tokens, sinceMs, closedUntil, account]) =>
    stateAt(nowMs, number(tokens), number(sinceMs), number(closedUntil), limits.get(account ?? '')),
  );
}

function stateAt(
  nowMs: number,
  tokens: number | undefined,
  sinceMs: number | undefined,
  closedUntilMs: number | undefined,
  limit: number | undefined,
): GateState {
  return {
    circuit: closedUntilMs === undefined ? 'closed' : closedUntilMs > nowMs ? 'open' : 'half-open',
    openUntil: closedUntilMs !== undefined && closedUntilMs > nowMs ? new Date(closedUntilMs) : undefined,
    available: tokens === undefined ? undefined : { tokens, idleMs: Math.max(0, nowMs - (sinceMs ?? nowMs)) },
    limit,
  };
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
