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
  const pipeline = redis.pipeline();
  pipeline.time();
  for (const id of ids) pipeline.hmget(`${prefix}:gate:${id}`, 't', 's', 'c');
  const [time, ...gates] = ((await pipeline.exec()) ?? []).map(([error, answer]) => {
    if (error !== null) throw error;
    return Array.isArray(answer) ? answer.map((one) => (one === null ? undefined : Number(one))) : [];
  });
  const nowMs = (time?.[0] ?? 0) * 1000 + Math.floor((time?.[1] ?? 0) / 1000);
  return gates.map(([tokens, sinceMs, closedUntilMs]) => ({
    circuit: closedUntilMs === undefined ? 'closed' : closedUntilMs > nowMs ? 'open' : 'half-open',
    openUntil: closedUntilMs !== undefined && closedUntilMs > nowMs ? new Date(closedUntilMs) : undefined,
    available: tokens === undefined ? undefined : { tokens, idleMs: Math.max(0, nowMs - (sinceMs ?? nowMs)) },
  }));
}
