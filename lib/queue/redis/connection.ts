import { Redis, type RedisOptions } from 'ioredis';
import type { Log } from '../../core/log.ts';
import { knownScripts } from './call.ts';

export interface ConnectionLimits {
  /** A command of a request that has no answer after this time has failed. */
  readonly commandMsMax: number;
}

export const usualLimits: ConnectionLimits = { commandMsMax: 3_000 };

const connectMsMax = 2_000;
const reconnectMsMax = 1_000;
/** Longer than any blocking command of a worker (10 s), so that only a dead peer is silent for so long. */
const silenceMsMax = 20_000;

/**
 * For what a caller waits for: every command ends within `commandMsMax`, also while Redis is away. A command that was
 * timed out may still be carried out, so all commands of this module may run twice.
 */
export function failFastConnection(redisUrl: string, log: Log, limits: ConnectionLimits = usualLimits): Redis {
  return quietly(
    new Redis(redisUrl, { ...usual(), commandTimeout: limits.commandMsMax, maxRetriesPerRequest: 1 }),
    log,
  );
}

/** For workers and subscribers: commands wait until Redis is back. BullMQ demands `maxRetriesPerRequest: null`. */
export function blockingConnection(redisUrl: string, log: Log): BlockingRedis {
  return quietly(
    new BlockingRedis(redisUrl, { ...usual(), maxRetriesPerRequest: null, socketTimeout: silenceMsMax }),
    log,
  );
}

const usual = () =>
  ({
    scripts: knownScripts(),
    // What many handlers ask for at once goes in one write and comes back together: half the cost per command.
    enableAutoPipelining: true,
    connectTimeout: connectMsMax,
    retryStrategy: (times: number) => Math.min(50 * times, reconnectMsMax),
    // After a failover the old primary is a replica: dial again, then send the command again.
    reconnectOnError: (cause: Error) => (cause.message.startsWith('READONLY') ? 2 : false),
  }) satisfies RedisOptions;

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
