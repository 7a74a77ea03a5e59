import { Repeated } from '#core/concurrency/repeated.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { Presence, pingMs } from '../agents/presence.ts';
import { noticeAgentTokens } from '../authentication-tokens/find.ts';
import { endLostJobs } from './end.ts';
import { PoolWork } from './pool-work.ts';
import type { Taker } from './take.ts';

/** Interval at which work for waiting agents is looked for, in milliseconds: one statement for all of them. */
const lookMs = 500;
/** The same after a request to this process that may have made work. */
const changedMs = 50;
/** Interval at which jobs of lost agents are ended while agents wait, in milliseconds, so that their runs go on without the sweep. */
const lostMs = 2_000;
/** Lost jobs that one round ends. */
const lostMax = 20;

type BoardParts = Pick<WorkspaceParts, 'store' | 'runs' | 'pendingSyncs'>;

/** Why an agent waits no longer: there may be work, the time is over or the client has left, or the agent or its token was deleted. */
export type Woken = 'work' | 'over' | 'gone';

interface Waiter extends Taker {
  wake(why: Woken): void;
}

/** How long a request waits. */
export interface Wait {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** It may wait for minutes: a later request of the agent ends it, so that each agent has one such wait. */
  readonly isPadded: boolean;
}

/**
 * Agents of this process that wait for work. They share the statements, however many they are: one looks for work, one notes that they live, one
 * that their tokens are used, and one finds jobs of lost agents.
 */
export class Board {
  readonly presence: Presence;
  readonly work: PoolWork;
  readonly #parts: BoardParts;
  readonly #waiters = new Set<Waiter>();
  /** How many wait in each pool. */
  readonly #waitersOf = new Map<string, number>();
  /** Those that may wait for minutes, by the id of the agent. */
  readonly #padded = new Map<string, Waiter>();
  readonly #looks: Repeated;
  readonly #rounds: readonly Repeated[];
  #closed = false;

  /** `everyMs`: from one look for work to the next. */
  constructor(parts: BoardParts, everyMs = lookMs) {
    this.#parts = parts;
    this.presence = new Presence(parts.store);
    this.work = new PoolWork(parts);
    const goesOn = () => this.#waiters.size > 0;
    this.#looks = new Repeated({ everyMs, goesOn, round: () => this.#look() });
    this.#rounds = [
      this.#looks,
      new Repeated({ everyMs: pingMs, goesOn, round: () => this.#ping() }),
      new Repeated({ everyMs: lostMs, goesOn, round: () => endLostJobs(parts.store, lostMax) }),
    ];
  }

  /** Resolves when there may be work for the agent, after `waitMs`, or when `signal` aborts. */
  wait(agent: Taker, { waitMs, signal, isPadded }: Wait): Promise<Woken> {
    if (this.#closed || signal.aborted || waitMs <= 0) return Promise.resolve('over');
    return new Promise((resolve) => {
      const wake = (why: Woken) => {
        clearTimeout(timeout);
        signal.removeEventListener('abort', leave);
        if (this.#waiters.delete(waiter)) this.#count(agent.poolId, -1);
        if (this.#padded.get(agent.agentId) === waiter) this.#padded.delete(agent.agentId);
        resolve(why);
      };
      const leave = () => wake('over');
      const waiter = { ...agent, wake };
      const timeout = setTimeout(leave, waitMs);
      signal.addEventListener('abort', leave, { once: true });
      this.endEarlier(agent);
      this.#waiters.add(waiter);
      this.#count(agent.poolId, 1);
      if (isPadded) this.#padded.set(agent.agentId, waiter);
      for (const rounds of this.#rounds) rounds.begin();
    });
  }

  /** The reply to a request that may wait for minutes is read by no client any longer when the agent asks again: a proxy may have cut it off. */
  endEarlier({ agentId }: Pick<Taker, 'agentId'>): void {
    this.#padded.get(agentId)?.wake('over');
  }

  /** Something in this process may have made work. */
  changed(): void {
    this.work.changed();
    this.#looks.hasten(changedMs);
  }

  close(): void {
    this.#closed = true;
    for (const rounds of this.#rounds) rounds.close();
    this.work.close();
    for (const { wake } of [...this.#waiters]) wake('over');
  }

  #count(poolId: string, by: 1 | -1): void {
    const count = (this.#waitersOf.get(poolId) ?? 0) + by;
    if (count > 0) this.#waitersOf.set(poolId, count);
    else this.#waitersOf.delete(poolId);
  }

  async #look(): Promise<void> {
    this.#wake(await this.work.look([...this.#waitersOf.keys()]));
  }

  /** Wakes as many agents of a pool as there are runs for it, those first that have waited longest. */
  #wake(counts: ReadonlyMap<string, number>): void {
    if (counts.size === 0) return;
    const left = new Map(counts);
    for (const { poolId, wake } of [...this.#waiters]) {
      const runs = left.get(poolId) ?? 0;
      if (runs > 0) wake('work');
      left.set(poolId, runs - 1);
    }
  }

  async #ping(): Promise<void> {
    const waiters = [...this.#waiters];
    const gone = await this.presence.ping(waiters);
    const tokens = await noticeAgentTokens(this.#parts.store, new Set(waiters.map(({ tokenId }) => tokenId)));
    for (const { agentId, tokenId, wake } of waiters) if (gone.has(agentId) || !tokens.has(tokenId)) wake('gone');
  }
}

/** Requests of agents release nothing, except the end of a job. */
const releasesNothing = /^\/api\/v2\/agent(?:s|-jobs)(?!.*\/finish$)(?:\/|$)/;

/** Lets the board know after each request that may have made work. */
export function releasing(row: ApiRow, board: Board): ApiRow {
  if (row.method === 'GET' || releasesNothing.test(row.path)) return row;
  return {
    ...row,
    run: (request) => row.run(request).finally(() => board.changed()),
  };
}
