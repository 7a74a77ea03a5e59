import { DestinationFailure, type FailureKind } from '../../contract.ts';
import { untilAborted } from './request-time.ts';

/**
 * Names what was thrown, in the words of the contract: the problem and what to do, not what was to be done (the frame says
 * that). An SDK's error is never kept as `cause`: it may carry the request, and so the value and the token.
 */
export type Explain = (error: unknown) => DestinationFailure;

/** For drivers whose calls name their own failures. */
export const unexpected: Explain = (error) =>
  error instanceof DestinationFailure
    ? error
    : new DestinationFailure('internal', 'unexpected error', { cause: error });

/**
 * Runs one verb. It ends at once when `signal` aborts, whatever the SDK is doing then, and nothing but a `DestinationFailure`
 * comes out: "cannot write secret a/b: the value has ...".
 *
 * @param action what the verb does: "write secret a/b"
 */
export async function verb<T>(
  action: string,
  signal: AbortSignal,
  explain: Explain,
  run: () => Promise<T>,
): Promise<T> {
  try {
    signal.throwIfAborted();
    return await untilAborted(run(), signal);
  } catch (error) {
    throw cannot(action, ended(error, signal, explain));
  }
}

/** What ended a verb, named: the caller's signal, or what the driver says of it. */
export function ended(error: unknown, signal: AbortSignal, explain: Explain): DestinationFailure {
  if (error instanceof DestinationFailure || !signal.aborted) return explain(error);
  return new DestinationFailure('timeout', 'the operation was ended before it was done');
}

/** The same failure, with what was to be done in front: the one grammar of all drivers and verbs. */
export const cannot = (action: string, failure: DestinationFailure): DestinationFailure =>
  failure.again(`cannot ${action}: ${failure.message}`);

/** Follows one put, so that its failure can say whether anything was written. */
export interface WriteTracker {
  /** Runs a call that changes something. One that was refused has changed nothing; one without an answer may have. */
  write<T>(call: () => Promise<T>): Promise<T>;
  /** The failure of the put, `untouched` if no call has changed anything. */
  failed(failure: DestinationFailure): DestinationFailure;
  /** From now on no call begins. */
  end(): void;
}

/** After these nobody knows whether the call has arrived. All other kinds are answers, and the answer was no. */
const doubtful: ReadonlySet<FailureKind> = new Set<FailureKind>(['unavailable', 'timeout', 'network', 'internal']);

/** @param kindOf of what a call of this driver throws */
export function newWriteTracker(kindOf: (error: unknown) => FailureKind = kindOfFailure): WriteTracker {
  let written = false;
  let ended = false;
  return {
    async write(call) {
      if (ended) throw new DestinationFailure('timeout', 'the put was ended before this call');
      const before = written;
      // Also while it is in flight: the put may be ended before the answer is there.
      written = true;
      try {
        return await call();
      } catch (error) {
        if (!doubtful.has(kindOf(error))) written = before;
        throw error;
      }
    },
    failed: (failure) => (written ? failure : untouched(failure)),
    end() {
      ended = true;
    },
  };
}

/**
 * Runs one put, whose failure then says whether it has changed anything. A put that was ended may still be on its way to its
 * next call: what was promised then is kept.
 */
export async function tracked<T>(tracker: WriteTracker, put: () => Promise<T>): Promise<T> {
  try {
    return await put();
  } catch (error) {
    tracker.end();
    throw error instanceof DestinationFailure ? tracker.failed(error) : error;
  }
}

const kindOfFailure = (error: unknown): FailureKind => (error instanceof DestinationFailure ? error.kind : 'internal');

/** A copy, because several puts may share one failure. */
const untouched = (failure: DestinationFailure): DestinationFailure =>
  failure.again(failure.message, { untouched: true });
