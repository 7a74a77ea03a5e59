import { Redis } from 'ioredis';
import { freePort } from '#infra/local/child.ts';
import { type RedisOptions, startRedis } from '#infra/local/redis/start.ts';
import type { LocalServer } from '#infra/local/server.ts';

/** A server that tests stop and start again. */
export interface RedisNode {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** A connection to this node, for any key. */
  readonly client: Redis;
  /** Ends it at once, without a shutdown. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with its data. */
  start(): Promise<void>;
  end(): Promise<void>;
}

export interface NodeOptions {
  readonly dataDir: string;
  readonly password: string;
  /** Called for each attempt to start, because a free port may have been taken meanwhile. */
  readonly settings: () => Promise<readonly string[]>;
  /** The Redis on PATH by default. */
  readonly program?: string | undefined;
}

const startsMax = 5;

export async function startNode(given: NodeOptions): Promise<RedisNode> {
  const { options, first } = await started(given);
  let server: LocalServer = first;
  const client = new Redis(server.url, { retryStrategy: () => 100, commandTimeout: 2_000, maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  return {
    url: server.url,
    port: server.port,
    get pid() {
      return server.pid;
    },
    client,
    kill: () => server.kill(),
    async start() {
      server = await startRedis(options);
    },
    async end() {
      client.disconnect();
      await server.kill();
    },
  };
}

type StartOptions = RedisOptions & { readonly port: number };

async function started(
  { dataDir, password, settings, program }: NodeOptions,
  starts = 1,
): Promise<{ readonly options: StartOptions; readonly first: LocalServer }> {
  const own = { dataDir, password, settings: await settings(), ...(program === undefined ? {} : { program }) };
  const options = { ...own, port: await freePort() };
  try {
    return { options, first: await startRedis(options) };
  } catch (error) {
    if (starts === startsMax) throw error;
    return started({ dataDir, password, settings, program }, starts + 1);
  }
}
