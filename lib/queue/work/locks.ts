import type { Log } from '#core/log/log.ts';

/** The part of BullMQ's worker that renews locks. Returns the ids of jobs whose lock is no longer ours. */
export interface LockOwner {
  extendJobLocks(jobIds: string[], tokens: string[], durationMs: number): Promise<string[]>;
}

/** Why a handler has to stop. `lost`: another worker may have the job, so its result must not be reported. */
export type StopReason = 'lost' | 'shutdown';

export interface HeldLock {
  readonly signal: AbortSignal;
  readonly stopped: StopReason | undefined;
  release(): void;
}

/** A handler that runs longer than this many lock times is stopped, and its lock is no longer renewed. */
const lockTimesMax = 2;

/**
 * Keeps the locks of the jobs in flight: one renewal for all, three times per lock time. A lock that could not be renewed in time counts as
 * lost before Redis drops it, so a handler stops before another worker starts. BullMQ's own renewal does not notice when Redis is silent, and
 * manual fetching has no renewal.
 *
 * Uses the wall clock, because only this clock advances while the whole machine is frozen. A clock that is set forward looks the same and
 * loses locks, which does no harm; a clock that is set back must not make locks seem to last longer.
 */
export class Locks {
  readonly #owner: LockOwner;
  readonly #lockMs: number;
  readonly #log: Log;
  readonly #held = new Map<string, Held>();
  readonly #timer: NodeJS.Timeout;
  readonly #waiting: (() => void)[] = [];
  #renewedAt = 0;
  #lookedAt = 0;
  #renewing = false;

  constructor(owner: LockOwner, lockMs: number, log: Log) {
    this.#owner = owner;
    this.#lockMs = lockMs;
    this.#log = log;
    this.#timer = setInterval(() => this.#tick(Date.now()), Math.max(10, lockMs / 12));
  }

  /** @param lockedAt when the lock was requested, in milliseconds since 1970 */
  hold(jobId: string, token: string, lockedAt: number): HeldLock {
    const held = new Held(token, lockedAt + this.#lockMs, Date.now() + this.#lockMs * lockTimesMax);
    this.#held.set(jobId, held);
    return {
      signal: held.controller.signal,
      get stopped() {
        return held.stopped;
      },
      release: () => {
        if (this.#held.get(jobId) === held) this.#held.delete(jobId);
        if (this.#held.size === 0) for (const resume of this.#waiting.splice(0)) resume();
      },
    };
  }

  /** Resolves when no job is in flight. */
  async empty(): Promise<void> {
    if (this.#held.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  stopAll(reason: StopReason): void {
    for (const held of this.#held.values()) held.stop(reason);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#held.clear();
  }

  #tick(now: number): void {
    if (now < this.#lookedAt) this.#setBack(this.#lookedAt - now);
    this.#lookedAt = now;
    const margin = this.#lockMs / 10;
    for (const held of this.#held.values()) {
      if (now >= held.expiresAt - margin || now >= held.overdueAt) held.stop('lost');
    }
    if (this.#renewing || now - this.#renewedAt < this.#lockMs / 3) return;
    void this.#renew(now);
  }

  #setBack(ms: number): void {
    this.#renewedAt -= ms;
    for (const held of this.#held.values()) {
      held.expiresAt -= ms;
      held.overdueAt -= ms;
    }
  }

  async #renew(now: number): Promise<void> {
    const mine = [...this.#held].filter(([, held]) => held.stopped !== 'lost');
    if (mine.length === 0) return;
    this.#renewing = true;
    try {
      const tokens = mine.map(([, held]) => held.token);
      const ids = mine.map(([id]) => id);
      const lost = new Set(await this.#owner.extendJobLocks(ids, tokens, this.#lockMs));
      // The clock may have been set back meanwhile.
      const renewedAt = Math.min(now, Date.now());
      this.#renewedAt = renewedAt;
      for (const [id, held] of mine) {
        if (lost.has(id)) held.stop('lost');
        else held.expiresAt = renewedAt + this.#lockMs;
      }
    } catch (cause) {
      this.#log.warn({ error: cause instanceof Error ? cause.message : 'unknown' }, 'locks could not be renewed');
    } finally {
      this.#renewing = false;
    }
  }
}

class Held {
  readonly controller = new AbortController();
  readonly token: string;
  overdueAt: number;
  expiresAt: number;
  stopped: StopReason | undefined;

  constructor(token: string, expiresAt: number, overdueAt: number) {
    this.token = token;
    this.expiresAt = expiresAt;
    this.overdueAt = overdueAt;
  }

  /** `lost` takes precedence over `shutdown`. */
  stop(reason: StopReason): void {
    if (this.stopped === 'lost') return;
    this.stopped = reason;
    this.controller.abort(new Error(reason === 'lost' ? 'the lock of the job is lost' : 'the worker shuts down'));
  }
}
