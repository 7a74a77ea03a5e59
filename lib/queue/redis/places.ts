import type { RedisHost } from '../../core/redis-url.ts';

/** Nodes of a cluster that are remembered beside those that `REDIS_URL` names. */
const learnedMax = 1_000;
const elsewhereMs = 1_000;

/**
 * Where the server is that has our keys. All keys of an installation lie in one slot of a cluster, so one node has them all, and
 * a client of that node is all it takes: whoever else is asked answers `MOVED` with its address. What connections learn of it here
 * counts for all that are made from the same options. A server that stands alone is the same thing with nothing to learn.
 */
export class Places {
  readonly #seeds: readonly RedisHost[];
  #learned: readonly RedisHost[] = [];
  #owner: RedisHost | undefined;
  #turn = 0;
  #leftAt = Number.NEGATIVE_INFINITY;
  /** The server that answered last is a node of a cluster. */
  isCluster = false;

  constructor(seeds: readonly RedisHost[]) {
    this.#seeds = seeds;
  }

  /** Where to dial now: the owner while it is known, otherwise one of all after the other. */
  current(): RedisHost {
    const all = this.#all();
    return this.#owner ?? all[this.#turn % all.length] ?? { host: '127.0.0.1', port: 6_379 };
  }

  /** A connection to this place was not made. */
  lost(place: RedisHost): void {
    if (this.#owner !== undefined && isSame(this.#owner, place)) this.#owner = undefined;
    else if (isSame(this.current(), place)) this.#turn += 1;
  }

  /** The node that `MOVED` names, as `host:port`; without a host it is the one where we are, on another port. */
  moved(address: string): void {
    const at = address.lastIndexOf(':');
    const host = address.slice(0, at);
    const port = Number(address.slice(at + 1));
    if (at < 0 || !Number.isInteger(port) || port < 1) return;
    this.isCluster = true;
    this.#owner = { host: host === '' || host === '?' ? this.current().host : host, port };
  }

  /** The place cannot serve us, though it answers. At most once a second, as that is how long it may take to recover. */
  leave(now: number): boolean {
    if (now - this.#leftAt < elsewhereMs || this.#all().length === 1) return false;
    this.#leftAt = now;
    this.lost(this.current());
    return true;
  }

  /** The nodes that the cluster has now. */
  learn(nodes: readonly RedisHost[]): void {
    const isNew = (node: RedisHost) => !this.#seeds.some((seed) => isSame(seed, node));
    this.#learned = nodes.filter(isNew).slice(0, learnedMax);
  }

  #all(): readonly RedisHost[] {
    return [...this.#seeds, ...this.#learned];
  }
}

const isSame = (one: RedisHost, other: RedisHost): boolean => one.host === other.host && one.port === other.port;
