import { Redis, type RedisOptions } from 'ioredis';
import type { Log } from '../../core/log.ts';
import type { RedisHost } from '../../core/redis-url.ts';
import { findingOf } from './address.ts';
import { knownScripts } from './call.ts';
import type { Places } from './places.ts';

export interface ConnectionLimits {
  /** A command of a request that has no answer after this time has failed. */
  readonly commandMsMax: number;
}

export const usualLimits: ConnectionLimits = { commandMsMax: 3_000 };

const reconnectMsMax = 1_000;
/** Longer than any blocking command of a worker (10 s), so that only a dead peer is silent for so long. */
const silenceMsMax = 20_000;

/**
 * For what a caller waits for: every command ends within `commandMsMax`, also while Redis is away. A command that was
 * timed out may still be carried out, so all commands of this module may run twice. A server that has been silent for twice
 * that time is given up: a replica may have taken its place.
 */
export function failFastConnection(redisUrl: string, log: Log, limits: ConnectionLimits = usualLimits): Redis {
  const { commandMsMax } = limits;
  const own = { commandTimeout: commandMsMax, maxRetriesPerRequest: 1, socketTimeout: 2 * commandMsMax };
  const { options, places } = findingOf(redisUrl);
  return learning(quietly(new Redis({ ...options, ...usual(), ...own }), log), places);
}

/** For workers and subscribers: commands wait until Redis is back. BullMQ demands `maxRetriesPerRequest: null`. */
export function blockingConnection(redisUrl: string, log: Log): BlockingRedis {
  const own = { maxRetriesPerRequest: null, socketTimeout: silenceMsMax };
  const { options, places } = findingOf(redisUrl);
  return learning(quietly(new BlockingRedis({ ...options, ...usual(), ...own }), log), places);
}

const usual = () =>
  ({
    scripts: knownScripts(),
    // What many handlers ask for at once goes in one write and comes back together: half the cost per command.
    enableAutoPipelining: true,
    retryStrategy: (times: number) => Math.min(50 * times, reconnectMsMax),
  }) satisfies RedisOptions;

/** Each connection to a cluster asks for its nodes: those that the URL names may be gone when one is needed. */
function learning<Client extends Redis>(client: Client, places: Places | undefined): Client {
  client.on('ready', () => {
    if (places?.isCluster) client.cluster('SLOTS').then((answer) => places.learn(nodesIn(answer)), ignored);
  });
  return client;
}

/** Where it is not allowed, the nodes of the URL have to do. */
const ignored = () => {};

/** CLUSTER SLOTS answers ranges: first and last slot, then each of their nodes as address, port and more. */
function nodesIn(answer: unknown): readonly RedisHost[] {
  const nodes = Array.isArray(answer) ? answer.flatMap((range) => (Array.isArray(range) ? range.slice(2) : [])) : [];
  return nodes.flatMap(([host, port]) => (typeof host === 'string' && host !== '' ? { host, port: Number(port) } : []));
}

/** ioredis emits one error per attempt to connect; the log gets the first of each outage. */
function quietly<Client extends Redis>(client: Client, log: Log): Client {
  let away = false;
  client.on('error', (cause: Error) => {
    if (!away) log.warn({ error: cause.message }, 'Redis cannot be reached');
    away = true;
  });
  client.on('ready', () => {
    if (away) log.info({}, 'Redis is back');
    away = false;
  });
  return client;
}

/** Knows the blocking connections that BullMQ makes of it, so that all can be ended whatever state they are in. */
export class BlockingRedis extends Redis {
  readonly #copies = new Set<{ disconnect(): void }>();

  override duplicate<Override extends Partial<RedisOptions> | undefined = undefined>(override?: Override) {
    const copy = super.duplicate<Override>(override);
    copy.on('error', () => {});
    copy.on('end', () => this.#copies.delete(copy));
    this.#copies.add(copy);
    return copy;
  }

  /** BullMQ's own closing waits for a server that is away. */
  disconnectAll(): void {
    for (const copy of this.#copies) copy.disconnect();
    this.disconnect();
  }
}
