import { DestinationFailure, type FailureKind } from '../../contract.ts';

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
