import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/**
 * A Lua script: atomic, one round trip. Keys that a script derives (from a prefix and an id) carry the same hash tag as the
 * declared ones, so that a cluster runs it too.
 */
export interface Script {
  readonly lua: string;
  readonly sha: string;
}

export const script = (lua: string): Script => ({ lua, sha: createHash('sha1').update(lua).digest('hex') });

/** Numbers as Redis answers them: as numbers; strings as strings; nil as null. */
export async function run(
  redis: Redis,
  { lua, sha }: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (cause) {
    // A server that was started anew does not know the script yet.
    if (!(cause instanceof Error) || !cause.message.startsWith('NOSCRIPT')) throw cause;
    return redis.eval(lua, keys.length, ...keys, ...args);
  }
}

/** @throws Error when the script answered something else. */
export function numbers(answer: unknown): readonly number[] {
  if (Array.isArray(answer) && answer.every((item) => typeof item === 'number')) return answer;
  throw new Error('a queue script did not answer numbers');
}
