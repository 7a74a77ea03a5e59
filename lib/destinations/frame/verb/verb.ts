import { DestinationFailure } from '../../contract.ts';
import { untilAborted } from './until-aborted.ts';

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
