import type { Redis } from 'ioredis';
import { AppError } from '#core/errors.ts';

/**
 * The command name of a Lua script: atomic, one round trip. ioredis sends the text with the first call on a connection and a hash later,
 * and the text again if the server no longer knows it. Keys that a script derives from a prefix and an id have the same hash tag as the
 * declared ones, so a cluster can run it too.
 */
export type Script = `keyferry${number}`;

type Call = (keyCount: number, ...keysAndArgs: readonly (string | number)[]) => Promise<unknown>;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    readonly [name: Script]: Call;
  }
}

const known: Record<Script, { readonly lua: string }> = {};

/** Call it when a module is loaded, so that every connection opened later has the command. */
export function script(lua: string): Script {
  const name: Script = `keyferry${Object.keys(known).length}`;
  known[name] = { lua };
  return name;
}

/** The scripts for a new connection: a pipeline of ioredis only has the commands that its connection had when the pipeline began. */
export const knownScripts = (): Readonly<Record<string, { readonly lua: string }>> => known;

/** Runs a script. Numbers are returned as numbers, strings as strings, nil as null. */
export async function run(
  redis: Redis,
  name: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  const call = redis[name];
  if (call === undefined) throw new Error('the connection was opened before the script was known');
  return call.call(redis, keys.length, ...keys, ...args);
}

/** @throws Error when the answer of the script is not a list of numbers */
export function numbers(answer: unknown): readonly number[] {
  if (Array.isArray(answer) && answer.every((item) => typeof item === 'number')) return answer;
  throw new Error('a queue script did not return numbers');
}

/** Error replies caused by our own mistakes, which must not look like an outage. */
const mistake = /^(ERR(?! max number of clients| Script attempted to access a non local key)|WRONGTYPE|CROSSSLOT)\b/;
/** The server is reachable but refuses the login or a command. */
const refusal = /^(NOPERM|WRONGPASS|NOAUTH)\b/;
/** The cluster is moving the keys of our slot to another node. */
const moving = /^(ASK|TRYAGAIN|ERR Script attempted to access a non local key)\b/;
/** Messages of ioredis about its connection that have no code. */
const disconnected = /^(Command timed out|Command aborted|Connection is closed|Stream isn't writeable|Socket timeout)/;

/** Runs `work`; an outage of Redis becomes AppError `unavailable`. */
export async function reach<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    throw asOutage(cause);
  }
}

/** Converts an outage of Redis to AppError `unavailable`; returns any other error unchanged. */
export function asOutage(cause: unknown): unknown {
  if (!(cause instanceof Error) || !isOutage(cause)) return cause;
  return new AppError('unavailable', `the sync queue cannot be used: ${reason(cause)}`, { cause });
}

function isOutage(cause: Error): boolean {
  if (cause.name === 'ReplyError') return !mistake.test(cause.message);
  return cause.name === 'MaxRetriesPerRequestError' || 'syscall' in cause || disconnected.test(cause.message);
}

function reason(cause: Error): string {
  if (cause.message.startsWith('OOM')) return 'Redis is out of memory; raise its maxmemory';
  if (cause.message.startsWith('LOADING')) return 'Redis is reading its data; try again';
  if (cause.message.startsWith('CLUSTERDOWN')) return 'its cluster does not serve our keys now; try again';
  if (moving.test(cause.message)) return 'its cluster is moving our keys to another node; try again';
  if (refusal.test(cause.message)) return 'Redis refuses our user, password or command; see REDIS_URL';
  if (cause.message.startsWith('Command timed out')) return 'Redis did not answer in time; try again';
  return 'Redis cannot be reached; try again';
}
