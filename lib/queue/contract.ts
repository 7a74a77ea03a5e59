/**
 * The queue module is the only importer of BullMQ. A job only names an association; the worker reads the desired state itself. Terms:
 * an *operation* is an association that waits for a worker or is being worked on; *pending* is the set of all operations of all
 * types, in Redis.
 */
export interface Operation {
  /** Association id. */
  readonly id: string;
  readonly type: string;
  readonly destination_id: string;
  /** Generation of the association that requested it; finishing an older generation does not remove it. */
  readonly generation: number;
  /** The job waits for a retry and has to be brought forward. */
  readonly waiting: boolean;
  /** The W3C trace context of the request, if it is traced. */
  readonly traceparent?: string | undefined;
}

export interface Queue {
  /**
   * Puts one job per operation in the queue of its type. A single script counts operations exactly against `capacity`, over all types
   * and processes; an operation that is already pending needs no capacity. Returns the ids that were refused and have no job.
   */
  enqueue(operations: readonly Operation[], capacity: number): Promise<{ readonly refused: readonly string[] }>;
  /** Reserves capacity for one operation without adding a job, so that a caller can give up before it changes anything. */
  reserve(operation: Operation, capacity: number): Promise<boolean>;
  /** Returns reserved capacity when nothing was committed, unless a newer generation has requested it meanwhile. */
  release(id: string, generation: number): Promise<void>;
  pendingCount(): Promise<number>;
  /** The states of the gates of these destinations, in their order. */
  gateStates(destinationIds: readonly string[]): Promise<readonly GateState[]>;
  /** The workers of each type. */
  workers(): Promise<ReadonlyMap<string, WorkersSeen>>;
  /** Returns those of these ids that have no pending entry or no job. For the sweep; at most 1,000 at a time. */
  missing(operations: readonly Operation[]): Promise<readonly string[]>;
  /**
   * Checks one slice of the pending set: ids that are not dirty are removed once they have been found so twice, at least 10 s apart.
   * Returns the cursor for the next slice, '0' at the end.
   */
  forget(cursor: string, isDirty: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<string>;
  /**
   * Promotes delayed jobs that no worker would take in time because of wrong clocks: those that are overdue, and those that seem to have
   * been delayed in the future because a clock was set back. Judges by the clock of Redis, with a tolerance of half a minute. Promotes at
   * most a few thousand jobs and returns how many. For the sweep.
   */
  promoteStranded(): Promise<number>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Resolves with true when the operation of the association is announced as finished, or with false at the timeout or on abort. */
  settled(id: string, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  /** Subscribes; call it before the change, and then `wait`. */
  listen(id: string): { wait(timeoutMs: number, signal: AbortSignal): Promise<boolean>; stop(): void };
  /** Runs a long-lived consumer of one type's queue. */
  consume(type: string, handler: Handler, options: ConsumeOptions): Consumer;
  /** Fetches and runs jobs until the queue is empty or the deadline is near. For functions. */
  drain(
    type: string,
    handler: Handler,
    options: DrainOptions,
  ): Promise<{ readonly done: number; readonly left: boolean }>;
  close(): Promise<void>;
}

/** The workers of a type that take jobs, by the clock of Redis. A function counts while it runs and for a minute after. */
export interface WorkersSeen {
  /** How many were seen within the last minute. */
  readonly seen: number;
  /** Undefined: none was for a month. */
  readonly lastSeenAt: Date | undefined;
}

/** Syncs one association. It must end within the lock time and stop when `signal` aborts (lock lost, shutdown). */
export type Handler = (
  job: {
    readonly id: string;
    readonly destinationId: string;
    /** Id of the job in its queue, for the log. */
    readonly job?: string | undefined;
    readonly traceparent?: string | undefined;
    /** Too many workers died with this job in flight: the handler must make no external call, and the attempt counts as failed. */
    readonly exhausted?: boolean;
  },
  signal: AbortSignal,
) => Promise<Outcome>;

/**
 * - `done`: `generation` is synced, and waiting callers are notified. A newer generation keeps its entry in the pending set and gets
 *   its own job.
 * - `again`: not finished. The same job runs again after the delay (0: at once), or sooner when a newer generation is requested. With
 *   `firm`, only an operation with `waiting` brings it forward.
 * - `failed`: an exhausted job whose failure has been written back. The job is removed, and a new one runs after the delay.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly generation: number }
  | { readonly kind: 'failed'; readonly afterMs: number }
  | { readonly kind: 'again'; readonly afterMs: number; readonly firm?: boolean };

export interface ConsumeOptions {
  readonly concurrency: number;
  /** Duration of the lock of a job, which is renewed while the handler runs. */
  readonly lockMs: number;
  /** Start at rest. Default: take jobs at once. */
  readonly atRest?: boolean;
}

export interface DrainOptions extends Omit<ConsumeOptions, 'atRest'> {
  readonly deadline: Date;
  /** No job is taken when less time than this is left. */
  readonly reserveMs: number;
}

export interface Consumer {
  /** At rest, the consumer takes no jobs and finishes those in flight. For a process that cannot work now while others can. */
  rest(atRest: boolean): void;
  /** Takes no more jobs, waits up to `graceMs` for those in flight, then aborts them and returns them to the queue. */
  close(graceMs: number): Promise<void>;
}

/**
 * Questions of the API to the workers of a type, which alone have its driver. They are not operations: a question that no worker
 * takes in time is dropped, and nothing is tried again. Texts are opaque here; the sync encrypts them.
 */
export interface Asks {
  /**
   * Resolves with the answer, or undefined when none came in time.
   * @throws AppError unavailable when too many questions wait, or Redis cannot be reached
   */
  ask(question: Question, signal: AbortSignal): Promise<string | undefined>;
  /** Answers the questions of a type while `mayTake`, until it is closed. `close` aborts the answers in progress. */
  answer(type: string, answer: Answer, options: { mayTake(): boolean }): { close(): Promise<void> };
  /** Answers the questions of a type that wait now. */
  answerWaiting(type: string, answer: Answer, deadline: Date): Promise<void>;
}

export interface Question {
  readonly type: string;
  /** Unique. */
  readonly id: string;
  readonly text: string;
  /** How long it waits for a worker, and how long that may take for the answer, in milliseconds. */
  readonly takenMsMax: number;
  readonly answerMsMax: number;
}

/** Answers one question. It must end in its time, and when `signal` aborts. */
export type Answer = (id: string, text: string, signal: AbortSignal) => Promise<string>;

/** Wakes worker functions, which do not listen all the time. Does nothing in containers. */
export interface Doorbell {
  /** Rings at once, or not before `afterMs` have passed. */
  ring(type: string, afterMs?: number): Promise<void>;
}

/**
 * Keeps a failing or slow destination from delaying the others of its type. Its state is in Redis, shared by all workers of all
 * processes.
 */
export interface Gate {
  /**
   * Requests a pass for calls to a destination. A refusal says how long to delay the job.
   *
   * @param account what the provider counts the calls for: destinations with the same account share one rate. It is stored in plain
   * text, so it must not be a secret. Default: the destination itself
   */
  enter(destinationId: string, budget: GateBudget, account?: string): Promise<GatePass>;
}

/** The gate of a destination, as it was read. */
export interface GateState {
  /** In the words of circuit breakers: `closed` lets calls pass, `open` refuses them, `half-open` lets one operation probe. */
  readonly circuit: 'closed' | 'open' | 'half-open';
  /** Until when an open circuit refuses calls. */
  readonly openUntil: Date | undefined;
  /** Why the circuit is open or half-open: the destination throttled, or did not answer. Undefined: it is closed. */
  readonly openedBy: 'throttling' | 'silence' | undefined;
  /** Calls that were left when the last operation entered or left, and how long ago that was. Undefined: none has for hours. */
  readonly available: { readonly tokens: number; readonly idleMs: number } | undefined;
  /** Calls per second that the account of the destination is found to allow. Undefined: it has learned nothing. */
  readonly limit: number | undefined;
  /**
   * Since when the provider's throttling cuts the destination, for longer than a moment: its calls are throttled soon after each other, or
   * have to wait. Undefined: it does not, or only tells the limit of the account now and then.
   */
  readonly throttledSince: Date | undefined;
}

export interface GateBudget {
  /** The published limit, where the learned limit of an account begins. */
  readonly callsPerSecond: number;
  readonly burst: number;
  /** The length of the windows in which the provider counts calls, where that is short. */
  readonly windowMs?: number | undefined;
  /** Maximum number of concurrent operations for this destination, over all processes; also their total of concurrent calls. */
  readonly concurrencyMax: number;
  /** A pass that is not returned expires after this time. */
  readonly passMs: number;
}

/** What the calls of an operation say about the destination. */
export type Verdict = 'well' | 'sick' | 'throttled';

export type GatePass =
  | {
      readonly admitted: true;
      /** The share of concurrent calls that this operation may make. */
      readonly callsAtOnce: number;
      /**
       * Returns the pass. `sick`: the destination did not answer; several consecutive ones close the gate for a while. `throttled`: so
       * do these, and they decrease the limit of the account, whose other destinations wait for the Retry-After too.
       * `calls`: the number of calls made (default 1), which all count towards the rate; with 0, the verdict says nothing about the
       * destination. `accountCalls`: how many of them count for the account (default: all).
       */
      leave(verdict: Verdict, retryAfterMs?: number, calls?: number, accountCalls?: number): Promise<void>;
    }
  | { readonly admitted: false; readonly waitMs: number; readonly reason: 'rate' | 'concurrency' | 'circuit-open' };
