/**
 * The queue module is the only importer of BullMQ. A job names an association and says nothing else: the worker reads what
 * should be there. Words: an *operation* is an association that waits for its worker or is in its hands; *pending* is
 * the set of them, in Redis, over all types.
 */
export interface Operation {
  /** Association id. */
  readonly id: string;
  readonly type: string;
  readonly destination_id: string;
  /** Generation of the association that asks for it; `finish` of an older one does not take it off. */
  readonly generation: number;
  /** Its job waits for a retry and has to be brought forward. */
  readonly waiting: boolean;
  /** The W3C trace context of the request that asks for it, while it is traced. */
  readonly traceparent?: string | undefined;
}

export interface Queue {
  /**
   * Puts one job per operation in the queue of its type. Counted against `capacity` exactly, over all types and processes,
   * by one script; an operation that is pending already needs no capacity. Answers the ids that were refused: they have no job.
   */
  enqueue(operations: readonly Operation[], capacity: number): Promise<{ readonly refused: readonly string[] }>;
  /** Reserves capacity for one operation without a job yet, so that a caller can give up before it has changed anything. */
  reserve(operation: Operation, capacity: number): Promise<boolean>;
  /** Gives capacity back (nothing was committed), unless a newer generation has asked for it meanwhile. */
  release(id: string, generation: number): Promise<void>;
  pendingCount(): Promise<number>;
  /** Which of these ids have no pending entry or no job. For the sweep, in pages of at most 1,000. */
  missing(operations: readonly Operation[]): Promise<readonly string[]>;
  /**
   * One slice of the pending set: ids that `isDirty` says are not dirty are taken off, when they have been found so twice,
   * at least 10 s apart. Answers the cursor for the next slice ('0': through).
   */
  forget(cursor: string, isDirty: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<string>;
  /**
   * Takes up jobs that were delayed and that no worker's clock brings back in time: those that are overdue, and those that
   * were delayed in the future, because a clock was set back since. Both by the clock of Redis, with half a minute of
   * tolerance. At most some thousands; answers how many. For the sweep.
   */
  takeUpStranded(): Promise<number>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends when the association is announced, at the time-out, or on abort; true if announced. */
  settled(id: string, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  /** Subscribe before the change is made: the returned function waits. */
  listen(id: string): { wait(timeoutMs: number, signal: AbortSignal): Promise<boolean>; stop(): void };
  /** Runs a long-lived consumer of one type's queue. */
  consume(type: string, handler: Handler, options: ConsumeOptions): Consumer;
  /** Takes jobs by manual fetching until the queue is empty or the deadline is near. For functions. */
  drain(
    type: string,
    handler: Handler,
    options: DrainOptions,
  ): Promise<{ readonly done: number; readonly left: boolean }>;
  close(): Promise<void>;
}

/** Brings one association in line. It ends within the lock time and stops when `signal` aborts (lock lost, shutdown). */
export type Handler = (
  job: {
    readonly id: string;
    readonly destinationId: string;
    /** Name of the job in its queue, for the log. */
    readonly job?: string | undefined;
    readonly traceparent?: string | undefined;
    /** Too many workers ended with this job in flight: nothing may be called for it, and its attempt counts as failed. */
    readonly exhausted?: boolean;
  },
  signal: AbortSignal,
) => Promise<Outcome>;

/**
 * - `done`: in line with `generation`; who waits for the association is notified; a newer generation keeps its entry in the
 *   pending set and gets its job.
 * - `again`: not done; the same job is taken up after the delay (0: at once), or sooner when something newer is asked for,
 *   unless it is `firm`: then only an operation that says `waiting` brings it forward.
 * - `failed`: an exhausted job whose failure was written back; it goes, and a new one is taken up after the delay.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly generation: number }
  | { readonly kind: 'failed'; readonly afterMs: number }
  | { readonly kind: 'again'; readonly afterMs: number; readonly firm?: boolean };

export interface ConsumeOptions {
  readonly concurrency: number;
  /** Lock of a job; renewed while its handler runs. */
  readonly lockMs: number;
  /** It begins at rest. Absent: it takes jobs at once. */
  readonly atRest?: boolean;
}

export interface DrainOptions extends Omit<ConsumeOptions, 'atRest'> {
  readonly deadline: Date;
  /** No job is taken when less than this is left. */
  readonly reserveMs: number;
}

export interface Consumer {
  /** At rest it takes no jobs, and those in flight go on: others may do what this process cannot do now. */
  rest(atRest: boolean): void;
  /** Takes no more jobs, waits up to `graceMs` for those in flight, then aborts them; their jobs go back to the queue. */
  close(graceMs: number): Promise<void>;
}

/** The doorbell: wakes worker functions where nobody listens all the time. Does nothing in containers. */
export interface Doorbell {
  /** `afterMs`: not before; absent: at once. */
  ring(type: string, afterMs?: number): Promise<void>;
}

/**
 * Keeps a sick or slow destination from delaying the others of its type (docs/architecture.md, rule 3.9). State is in Redis, shared by all
 * workers of all processes.
 */
export interface Gate {
  /**
   * Asks to call out to a destination. Refused: how long to delay the job.
   *
   * @param account names what the provider counts the calls for: all destinations that give the same one have one rate. It is
   * kept as it is, so it is no secret. Absent: the destination alone
   */
  enter(destinationId: string, budget: GateBudget, account?: string): Promise<GatePass>;
}

export interface GateBudget {
  readonly callsPerSecond: number;
  readonly burst: number;
  /** Operations in flight at once for this destination, over all processes; they share as many calls at once. */
  readonly concurrencyMax: number;
  /** A pass that is not given back ends after this time. */
  readonly passMs: number;
}

export type GatePass =
  | {
      readonly admitted: true;
      /** So many calls at once are this operation's share of what the destination bears. */
      readonly callsAtOnce: number;
      /**
       * `sick`: the destination did not answer or throttled; enough of these in a row close the gate for a while. `calls`: how
       * many were made (1 if absent): the rate counts them all. Without one nothing has been learnt of the destination.
       * `accountCalls`: how many of them count for the account; absent: all.
       */
      leave(verdict: 'well' | 'sick', retryAfterMs?: number, calls?: number, accountCalls?: number): Promise<void>;
    }
  | { readonly admitted: false; readonly waitMs: number; readonly reason: 'rate' | 'concurrency' | 'circuit-open' };
