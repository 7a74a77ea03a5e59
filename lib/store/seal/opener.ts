import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { CipherError } from '../encryption/cipher.ts';
import { outerKeyMsMax, type RootKeySource } from './keys/root-key-source.ts';
import type { SealRecord } from './record.ts';

export interface OpenerParts {
  /** The first one that opens a record is asked about it. */
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
const saidMax = 16;

/**
 * Asks for the root key, so that a process unseals itself. A source that is away is asked again after pauses that grow; one that
 * does not fit is not asked again until the root key was wrapped anew.
 */
export class RootKeyOpener {
  readonly #parts: OpenerParts;
  readonly #closing = new AbortController();
  /** The wrapped root key that did not open. */
  #refused: Buffer | undefined;
  #failures = 0;
  /** Reasons of this outage that the log has. */
  readonly #said = new Set<string>();
  #pausedUntilMs = 0;

  constructor(parts: OpenerParts) {
    this.#parts = parts;
  }

  /** Whether the source of this record has found that it does not open it. */
  hasRefused(record: SealRecord): boolean {
    return this.#refused?.equals(record.root_key) === true;
  }

  /** Undefined: the record waits for key shares, or it is not the time to ask, or it did not work. Never throws. */
  async open(record: SealRecord): Promise<OpenedRootKey | undefined> {
    const isDue = this.#parts.clock.now().getTime() >= this.#pausedUntilMs;
    if (!isDue || this.#closing.signal.aborted || this.hasRefused(record)) return undefined;
    const source = this.#parts.sources.find((one) => one.opens(record));
    if (source === undefined && record.type === 'shamir') return undefined;
    try {
      if (source === undefined)
        throw new CipherError(`the store has the seal ${record.type}, and no key for it is configured`);
      const rootKey = await inTime(source.openRootKey(record, this.#signal()), this.#signal());
      this.#recover();
      return { rootKey, source };
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#failed(record, source, error);
      return undefined;
    }
  }

  /** Ends what is under way. */
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
    this.#said.clear();
  }

  #failed(record: SealRecord, source: RootKeySource | undefined, cause: unknown): void {
    const { log, clock, random } = this.#parts;
    const error = cause instanceof Error ? cause.message : 'unknown error';
    if (cause instanceof CipherError) {
      this.#refused = Buffer.from(record.root_key);
      log.error({ error, seal: record.type }, 'the store stays sealed: configure the key that it is sealed with');
      return;
    }
    const pauseMs =
      Math.min(source?.retryMsMax ?? retryMsMax, retryMsFirst * 2 ** Math.min(this.#failures, 16)) *
      (0.5 + random() / 2);
    this.#pausedUntilMs = clock.now().getTime() + pauseMs;
    // Once per outage and reason: the first may be one that passes, and another stand behind it.
    if (!this.#said.has(error) && this.#said.size < saidMax) {
      this.#said.add(error);
      log.error({ error, seal: record.type }, 'sealed until the key of the seal answers');
    }
    this.#failures += 1;
  }
}

/** The answer, or the signal's reason: a source that does not heed the signal is left alone. */
async function inTime(answer: Promise<Buffer>, signal: AbortSignal): Promise<Buffer> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([answer, ended]);
  } catch (error) {
    // A root key that comes too late is of no use.
    answer.then((late) => late.fill(0)).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
