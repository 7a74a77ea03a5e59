import { DestinationFailure, type FailureKind } from '../../contract.ts';
import { untilAborted } from './request-time.ts';

/**
 * Turns an error into a failure of the contract. Its message has the problem and the advice; the frame adds the action. An SDK's
 * error is never kept as `cause`: it may hold the request, and so the value and the token.
 */
export type Explain = (error: unknown) => DestinationFailure;

/** For drivers whose calls throw only `DestinationFailure`. */
export const unexpected: Explain = (error) =>
  error instanceof DestinationFailure
    ? error
    : new DestinationFailure('internal', 'unexpected error', { cause: error });

/**
 * Runs one verb. It ends at once when `signal` aborts, whatever the SDK is doing, and throws only `DestinationFailure`: "cannot write
 * secret a/b: the value has ...".
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

/** The failure of a verb: the caller's signal, or the driver's explanation. */
export function ended(error: unknown, signal: AbortSignal, explain: Explain): DestinationFailure {
  if (error instanceof DestinationFailure || !signal.aborted) return explain(error);
  return new DestinationFailure('timeout', 'the operation was aborted before it completed');
}

/** The same failure with the action before its message, the form of all drivers and verbs. */
export const cannot = (action: string, failure: DestinationFailure): DestinationFailure =>
  failure.withMessage(`cannot ${action}: ${failure.message}`);

/** Follows one put, so that its failure can say whether anything was written. */
export interface WriteTracker {
  /** Runs a call that changes something. A refused call has changed nothing; a call without an answer may have. */
  write<T>(call: () => Promise<T>): Promise<T>;
  /** The failure of the put, `untouched` if no call has changed anything. */
  failed(failure: DestinationFailure): DestinationFailure;
  /** From now on no call begins. */
  end(): void;
}

/** After these it is unknown whether the call was applied. All other kinds are refusals. */
const doubtful: ReadonlySet<FailureKind> = new Set<FailureKind>(['unavailable', 'timeout', 'network', 'internal']);

/** @param kindOf the kind of failure of an error that a call of this driver throws */
export function newWriteTracker(kindOf: (error: unknown) => FailureKind = kindOfFailure): WriteTracker {
  let written = false;
  let ended = false;
  return {
    async write(call) {
      if (ended) throw new DestinationFailure('timeout', 'the put was aborted before this call');
      const before = written;
      // Set already while the call is in flight: the put may be aborted before the answer comes.
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
 * Runs one put, whose failure then shows whether it has changed anything. After an abort the put could still reach its next call,
 * so the tracker refuses further calls.
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
  failure.withMessage(failure.message, { untouched: true });
