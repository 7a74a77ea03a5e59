import type { Store } from '#store/store.ts';
import { type AgentName, greet, pingAll } from './store.ts';

/** Interval of the pings of agents that wait, in milliseconds: a few of them fit in the time after which a silent agent is shown as unknown. */
export const pingMs = 15_000;
/** An agent that was seen so lately is not looked up again. The next ping finds out whether it still exists. */
const seenMs = 20_000;
/** Agents in one statement. */
const agentsMax = 2_000;

/** The agents that ask this process for work: whether they exist, and that they live. */
export class Presence {
  readonly #db: Store['db'];
  /** By id: the pool, and when it was seen, by `performance.now()`. */
  readonly #seen = new Map<string, { readonly poolId: string; readonly atMs: number }>();

  constructor({ db }: Pick<Store, 'db'>) {
    this.#db = db;
  }

  /** Whether the pool has the agent. Without a statement for an agent that was seen lately. */
  async has(agent: AgentName): Promise<boolean> {
    const seen = this.#seen.get(agent.agentId);
    if (seen?.poolId === agent.poolId && performance.now() - seen.atMs < seenMs) return true;
    return this.greet(agent);
  }

  /** Notes that an agent asks for work. Returns whether the pool has it. */
  async greet(agent: AgentName): Promise<boolean> {
    const exists = await greet(this.#db, agent);
    if (exists) this.#see(agent);
    else this.#seen.delete(agent.agentId);
    return exists;
  }

  /** Notes that agents live, and returns those that do not exist any longer. */
  async ping(agents: readonly AgentName[]): Promise<ReadonlySet<string>> {
    const gone = new Set<string>();
    for (let at = 0; at < agents.length; at += agentsMax)
      for (const id of await this.#ping(agents.slice(at, at + agentsMax))) gone.add(id);
    for (const [id, { atMs }] of this.#seen) if (performance.now() - atMs > seenMs) this.#seen.delete(id);
    return gone;
  }

  async #ping(agents: readonly AgentName[]): Promise<readonly string[]> {
    const rows = await pingAll(
      this.#db,
      agents.map(({ agentId }) => agentId),
    );
    const exited = new Map(rows.map((row) => [row.id, row.exited]));
    for (const agent of agents)
      if (exited.get(agent.agentId) === false) this.#see(agent);
      else this.#seen.delete(agent.agentId);
    return agents.flatMap(({ agentId }) => (exited.has(agentId) ? [] : [agentId]));
  }

  #see({ agentId, poolId }: AgentName): void {
    this.#seen.set(agentId, { poolId, atMs: performance.now() });
  }
}
