import { Redis, type RedisOptions } from 'ioredis';
import type { Log } from '#core/log/log.ts';
import type { RedisHost } from '#core/settings/redis-url.ts';
import { findingOf } from './address.ts';
import { knownScripts } from './call.ts';
import type { Places } from './places.ts';

export interface ConnectionLimits {
  /** A command of a request fails when it is not answered within this time. */
  readonly commandMsMax: number;
}

export const usualLimits: ConnectionLimits = { commandMsMax: 3_000 };

const reconnectMsMax = 1_000;
/** Longer than any blocking command of a worker (10 s), so only a dead peer is silent for this time. */
const silenceMsMax = 20_000;

/**
 * A connection for requests: every command ends within `commandMsMax`, even while Redis is unavailable. A command that timed out may still
 * be executed, so all commands of this module are safe to run twice. The connection to a server that has been silent for twice that time is
 * dropped, because a replica may have taken over.
 */
export function failFastConnection(redisUrl: string, log: Log, limits: ConnectionLimits = usualLimits): Redis {
  const { commandMsMax } = limits;
  const own = { commandTimeout: commandMsMax, maxRetriesPerRequest: 1, socketTimeout: 2 * commandMsMax };
  const { options, places } = findingOf(redisUrl);
  return learning(quietly(new Redis({ ...options, ...usual(), ...own }), log), places);
}

/** A connection for workers and subscribers: commands wait until Redis is back. BullMQ requires `maxRetriesPerRequest: null`. */
export function blockingConnection(redisUrl: string, log: Log): BlockingRedis {
  const own = { maxRetriesPerRequest: null, socketTimeout: silenceMsMax };
  const { options, places } = findingOf(redisUrl);
  return learning(quietly(new BlockingRedis({ ...options, ...usual(), ...own }), log), places);
}

const usual = () =>
  ({
    scripts: knownScripts(),
    // Concurrent commands are written together and answered together, which halves the cost per command.
    enableAutoPipelining: true,
    retryStrategy: (times: number) => Math.min(50 * times, reconnectMsMax),
    // Nothing would handle its failure, which ends the process when the server goes away again at once. `Announcements` subscribes itself.
    autoResubscribe: false,
  }) satisfies RedisOptions;

/** Each connection to a cluster asks for its nodes, because those in the URL may no longer exist when one is needed. */
function learning<Client extends Redis>(client: Client, places: Places | undefined): Client {
  client.on('ready', () => {
    if (places?.isCluster) client.cluster('SLOTS').then((answer) => places.learn(nodesIn(answer)), ignored);
  });
  return client;
}

/** If the command is not allowed, only the nodes of the URL are used. */
const ignored = () => {};

/** CLUSTER SLOTS returns ranges: first and last slot, then each of their nodes as address, port and more. */
function nodesIn(answer: unknown): readonly RedisHost[] {
  const nodes = Array.isArray(answer) ? answer.flatMap((range) => (Array.isArray(range) ? range.slice(2) : [])) : [];
  return nodes.flatMap(([host, port]) => (typeof host === 'string' && host !== '' ? { host, port: Number(port) } : []));
}

/** ioredis emits an error for each attempt to connect; only the first one of each outage is logged. */
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

/** Tracks the duplicates that BullMQ makes for blocking commands, so that all can be closed in any state. */
export class BlockingRedis extends Redis {
  readonly #copies = new Set<{ disconnect(): void }>();

  override duplicate<Override extends Partial<RedisOptions> | undefined = undefined>(override?: Override) {
    const copy = super.duplicate<Override>(override);
    copy.on('error', () => {});
    copy.on('end', () => this.#copies.delete(copy));
    this.#copies.add(copy);
    return copy;
  }

  /** Needed because closing through BullMQ waits for an unreachable server. */
  disconnectAll(): void {
    for (const copy of this.#copies) copy.disconnect();
    this.disconnect();
  }
}
