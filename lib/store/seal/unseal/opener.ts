import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import { CipherError } from '../../encryption/cipher.ts';
import { outerKeyMsMax, type RootKeySource } from '../keys/root-key-source.ts';
import type { SealRecord } from '../record.ts';

export interface OpenerParts {
  /** The first source that is responsible for a record is used. */
  readonly sources: readonly RootKeySource[];
  readonly log: Log;
  readonly clock: Clock;
  /** From 0 to 1, for the jitter. */
  readonly random: () => number;
}

export interface OpenedRootKey {
  readonly rootKey: Buffer;
  readonly source: RootKeySource;
}

const retryMsFirst = 500;
const retryMsMax = 30_000;
const loggedMax = 16;

/**
 * Requests the root key, so that a process can unseal itself. An unavailable source is tried again after growing pauses; one whose key
 * is wrong is not tried again until the root key has been rewrapped.
 */
export class RootKeyOpener {
  readonly #parts: OpenerParts;
  readonly #closing = new AbortController();
  /** The wrapped root key that did not open. */
  #refused: Buffer | undefined;
  #failures = 0;
  /** Reasons of this outage that have been logged. */
  readonly #logged = new Set<string>();
  #pausedUntilMs = 0;

  constructor(parts: OpenerParts) {
    this.#parts = parts;
  }

  /** Whether the source of this record has been tried and cannot open it. */
  hasRefused(record: SealRecord): boolean {
    return this.#refused?.equals(record.root_key) === true;
  }

  /** Undefined when the record waits for key shares, the next attempt is not due, or the attempt failed. Never throws. */
  async open(record: SealRecord): Promise<OpenedRootKey | undefined> {
    const isDue = this.#parts.clock.now().getTime() >= this.#pausedUntilMs;
    if (!isDue || this.#closing.signal.aborted || this.hasRefused(record)) return undefined;
    const source = this.#parts.sources.find((one) => one.opens(record));
    if (source === undefined && record.type === 'shamir') return undefined;
    try {
      if (source === undefined)
        throw new CipherError(`the store has the seal type ${record.type}, but no key for it is configured`);
      const rootKey = await inTime(source.openRootKey(record, this.#signal()), this.#signal());
      this.#recover();
      return { rootKey, source };
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#failed(record, source, error);
      return undefined;
    }
  }

  /** Aborts an attempt in progress and closes the sources. */
  close(): void {
    this.#closing.abort();
    for (const source of this.#parts.sources) source.close();
  }

  #signal(): AbortSignal {
    return AbortSignal.any([this.#closing.signal, AbortSignal.timeout(outerKeyMsMax)]);
  }

  #recover(): void {
    if (this.#failures > 0) this.#parts.log.info({ attempts: this.#failures + 1 }, 'the key of the seal answers again');
    this.#failures = 0;
    this.#pausedUntilMs = 0;
    this.#logged.clear();
  }

  #failed(record: SealRecord, source: RootKeySource | undefined, cause: unknown): void {
    const { log, clock, random } = this.#parts;
    const error = cause instanceof Error ? cause.message : 'unknown error';
    if (cause instanceof CipherError) {
      this.#refused = Buffer.from(record.root_key);
      log.error({ error, seal: record.type }, 'the store stays sealed: configure the key that it was sealed with');
      return;
    }
    const pauseMs =
      Math.min(source?.retryMsMax ?? retryMsMax, retryMsFirst * 2 ** Math.min(this.#failures, 16)) *
      (0.5 + random() / 2);
    this.#pausedUntilMs = clock.now().getTime() + pauseMs;
    // Each reason is logged once per outage, since a lasting one may follow a passing one.
    if (!this.#logged.has(error) && this.#logged.size < loggedMax) {
      this.#logged.add(error);
      log.error({ error, seal: record.type }, 'sealed until the key of the seal answers');
    }
    this.#failures += 1;
  }
}

/** Waits for the answer, or throws the reason of the signal: a source that ignores the signal is not waited for. */
async function inTime(answer: Promise<Buffer>, signal: AbortSignal): Promise<Buffer> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([answer, ended]);
  } catch (error) {
    // Overwrite a root key that arrives too late.
    answer.then((late) => late.fill(0)).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
