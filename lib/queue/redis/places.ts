import type { RedisHost } from '#core/settings/redis-url.ts';

/** Limit of cluster nodes that are remembered in addition to those of `REDIS_URL`. */
const learnedMax = 1_000;
const elsewhereMs = 1_000;

/**
 * Tracks which server holds our keys. All keys of an installation are in one slot of a cluster, so a plain client of the node that owns the
 * slot is enough; any other node answers `MOVED` with its address. All connections made from the same options share this knowledge. A
 * single server is the same case with nothing to learn.
 */
export class Places {
  readonly #seeds: readonly RedisHost[];
  #learned: readonly RedisHost[] = [];
  #owner: RedisHost | undefined;
  #turn = 0;
  #leftAt = Number.NEGATIVE_INFINITY;
  /** Whether the server that answered last is a cluster node. */
  isCluster = false;

  constructor(seeds: readonly RedisHost[]) {
    this.#seeds = seeds;
  }

  /** The server to dial now: the owner while it is known, otherwise all servers in turn. */
  current(): RedisHost {
    const all = this.#all();
    return this.#owner ?? all[this.#turn % all.length] ?? { host: '127.0.0.1', port: 6_379 };
  }

  /** Called when a connection to this place could not be opened. */
  lost(place: RedisHost): void {
    if (this.#owner !== undefined && isSame(this.#owner, place)) this.#owner = undefined;
    else if (isSame(this.current(), place)) this.#turn += 1;
  }

  /** Takes the node that `MOVED` names, as `host:port`; without a host, it is the current host with another port. */
  moved(address: string): void {
    const at = address.lastIndexOf(':');
    const host = address.slice(0, at);
    const port = Number(address.slice(at + 1));
    if (at < 0 || !Number.isInteger(port) || port < 1) return;
    this.isCluster = true;
    this.#owner = { host: host === '' || host === '?' ? this.current().host : host, port };
  }

  /** Moves on because the server answers but cannot serve us. At most once a second, since it may recover. */
  leave(now: number): boolean {
    if (now - this.#leftAt < elsewhereMs || this.#all().length === 1) return false;
    this.#leftAt = now;
    this.lost(this.current());
    return true;
  }

  /** Takes the current nodes of the cluster. */
  learn(nodes: readonly RedisHost[]): void {
    const isNew = (node: RedisHost) => !this.#seeds.some((seed) => isSame(seed, node));
    this.#learned = nodes.filter(isNew).slice(0, learnedMax);
  }

  #all(): readonly RedisHost[] {
    return [...this.#seeds, ...this.#learned];
  }
}

const isSame = (one: RedisHost, other: RedisHost): boolean => one.host === other.host && one.port === other.port;
