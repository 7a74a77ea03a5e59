import type { Redis } from 'ioredis';
import { AppError } from '../../core/errors.ts';

/**
 * The command of a Lua script: atomic, one round trip. ioredis sends the text on the first call of a connection and a hash
 * later, and the text again to a server that does not know it any more. Keys that a script derives (from a prefix and an id)
 * carry the same hash tag as the declared ones, so that a cluster runs it too.
 */
export type Script = `keyferry${number}`;

type Call = (keyCount: number, ...keysAndArgs: readonly (string | number)[]) => Promise<unknown>;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    readonly [name: Script]: Call;
  }
}

const known: Record<Script, { readonly lua: string }> = {};

/** Called where a module is loaded, so that every connection that is opened later has the command. */
export function script(lua: string): Script {
  const name: Script = `keyferry${Object.keys(known).length}`;
  known[name] = { lua };
  return name;
}

/** For a new connection: ioredis gives a pipeline the commands that its connection has when the pipeline begins. */
export const knownScripts = (): Readonly<Record<string, { readonly lua: string }>> => known;

/** Numbers as Redis answers them: as numbers; strings as strings; nil as null. */
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

/** @throws Error when the script answered something else. */
export function numbers(answer: unknown): readonly number[] {
  if (Array.isArray(answer) && answer.every((item) => typeof item === 'number')) return answer;
  throw new Error('a queue script did not answer numbers');
}

/** A reply that is our own mistake, not a state of the server: it must not look like an outage. */
const mistake = /^(ERR(?! max number of clients| Script attempted to access a non local key)|WRONGTYPE|CROSSSLOT)\b/;
/** The server is there and does not let us in, or not do what we have to. */
const refusal = /^(NOPERM|WRONGPASS|NOAUTH)\b/;
/** Keys of our slot are on their way to another node of the cluster. */
const onItsWay = /^(ASK|TRYAGAIN|ERR Script attempted to access a non local key)\b/;
/** What ioredis says of its connection in errors without a code. */
const away = /^(Command timed out|Command aborted|Connection is closed|Stream isn't writeable|Socket timeout)/;

/** Answers what `work` answers; an outage of Redis becomes AppError `unavailable`. */
export async function reach<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    throw asOutage(cause);
  }
}

/** An outage of Redis as AppError `unavailable`; anything else as it is. */
export function asOutage(cause: unknown): unknown {
  if (!(cause instanceof Error) || !isOutage(cause)) return cause;
  return new AppError('unavailable', `the sync queue cannot be used: ${reason(cause)}`, { cause });
}

function isOutage(cause: Error): boolean {
  if (cause.name === 'ReplyError') return !mistake.test(cause.message);
  return cause.name === 'MaxRetriesPerRequestError' || 'syscall' in cause || away.test(cause.message);
}

function reason(cause: Error): string {
  if (cause.message.startsWith('OOM')) return 'Redis is out of memory; raise its maxmemory';
  if (cause.message.startsWith('LOADING')) return 'Redis is reading its data; try again';
  if (cause.message.startsWith('CLUSTERDOWN')) return 'its cluster does not serve our keys now; try again';
  if (onItsWay.test(cause.message)) return 'its cluster is moving our keys to another node; try again';
  if (refusal.test(cause.message)) return 'Redis refuses our user, password or command; see REDIS_URL';
  if (cause.message.startsWith('Command timed out')) return 'Redis did not answer in time; try again';
  return 'Redis cannot be reached; try again';
}
