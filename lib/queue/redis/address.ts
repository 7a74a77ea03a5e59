import { readFileSync } from 'node:fs';
import { type RedisOptions, SentinelConnector } from 'ioredis';
import { parseRedisUrl, type RedisAddress, redisUrlRule } from '#core/settings/redis-url.ts';
import { type Dialling, FollowingConnector, outlivingErrors } from './following.ts';
import { Places } from './places.ts';
import { tlsOptions } from './tls.ts';

/** Options of a client, except the shape of replies, which is fixed. */
export type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

const connectMsMax = 2_000;
/** How long a connection that we close waits for its server. */
const disconnectMsMax = 500;

export interface Finding {
  readonly options: ClientOptions;
  /** The known servers; undefined when sentinels name the server. */
  readonly places: Places | undefined;
}

/**
 * How a client finds the server that holds our keys: through sentinels, or by dialling servers itself and following a cluster to the node
 * of our slot.
 *
 * @throws Error when `redisUrl` is not a valid Redis URL
 */
export function findingOf(redisUrl: string): Finding {
  const address = parseRedisUrl(redisUrl);
  if (address === undefined) throw new Error(`the address of Redis ${redisUrlRule}`);
  const { username, password, db, family } = address;
  const tls = tlsOptions(address);
  const login = { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
  const limits = { connectTimeout: connectMsMax, disconnectTimeout: disconnectMsMax };
  const common = { ...login, ...limits, db, family, ...(tls === undefined ? {} : { tls }) };
  if (address.sentinel !== undefined)
    return { options: { ...common, ...bySentinels(address, tls) }, places: undefined };
  const places = new Places(address.hosts);
  return { options: { ...common, ...following(address, { places, family, tls }) }, places };
}

function following({ files }: RedisAddress, dialling: Dialling): ClientOptions {
  const { places } = dialling;
  return {
    Connector: class extends FollowingConnector {
      constructor(options: unknown) {
        super(dialling, disconnectMsMax);
        readPasswordEachTime(options as RedisOptions, files.password);
      }
    },
    reconnectOnError({ message }) {
      const [, address] = /^MOVED \d+ (\S+)/.exec(message) ?? [];
      if (address !== undefined) places.moved(address);
      else if (isReplica.test(message)) places.leave(Date.now());
      // The node may be cut off while others serve: try another one, but report the error to the caller.
      else return message.startsWith('CLUSTERDOWN') && places.leave(Date.now()) ? endAndDialAgain : false;
      return dialAndSendAgain;
    },
  };
}

function bySentinels({ hosts, sentinel, files }: RedisAddress, tls: RedisOptions['tls']): ClientOptions {
  const { name, username, password } = sentinel ?? { name: '' };
  return {
    sentinels: [...hosts],
    name,
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    ...(tls === undefined ? {} : { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: connectMsMax,
    Connector: class extends SentinelConnector {
      constructor(options: unknown) {
        super(options as RedisOptions);
        readPasswordEachTime(options as RedisOptions, files.password);
      }

      override async connect(errors: Parameters<SentinelConnector['connect']>[0]) {
        return outlivingErrors(await super.connect(errors));
      }
    },
    reconnectOnError: ({ message }) => (isReplica.test(message) ? dialAndSendAgain : false),
  };
}

/** After a failover the old primary is a replica. */
const isReplica = /^(READONLY|MASTERDOWN)\b/;
/** What ioredis does about an error. */
const endAndDialAgain = 1;
const dialAndSendAgain = 2;

/** The option that ioredis reads when it opens a connection. */
interface Login {
  password?: string | undefined;
}

/**
 * Makes ioredis read the file for each connection, because a password may be valid for only minutes. An unreadable file gives an empty
 * password, which the server refuses; ioredis cannot handle an exception at this point.
 */
function readPasswordEachTime(options: Login, file: string | undefined): void {
  if (file === undefined) return;
  Object.defineProperty(options, 'password', { configurable: true, enumerable: true, get: () => passwordIn(file) });
}

function passwordIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
