import type { Log } from '#core/log/log.ts';
import type { DestinationFailure } from '#destinations/contract.ts';
import type { Claimed } from '../claim/claim.ts';
import type { Finish, Finished } from '../model/finish.ts';

/** What the log line of a finished attempt is made from. It has names and our own texts, never a value. */
export interface Attempt {
  readonly claim: Claimed;
  readonly finish: Finish;
  readonly finished: Finished;
  readonly failure: DestinationFailure | undefined;
}

/** Logs a sync that has finally failed at `warn`, and any other attempt at `debug`. */
export function logAttempt(log: Log, attempt: Attempt): void {
  const { finish, finished, failure } = attempt;
  const isFinal = finish.done && finished === 'settled' && failure !== undefined;
  if (isFinal) log.warn(fieldsOf(attempt), 'a sync has failed: it is not retried before the next change or a replay');
  else log.debug({ ...fieldsOf(attempt), done: finish.done, finished, retry_ms: finish.retryMs }, 'a sync attempt');
}

function fieldsOf({ claim, finish, failure }: Attempt): object {
  const { id, type, destinationName, namespacePath } = claim;
  const error = failure && { kind: failure.kind, error: finish.error?.message, remote_request_id: failure.requestId };
  return {
    association: id,
    type,
    destination: `${namespacePath ?? ''}${destinationName}`,
    status: finish.status,
    attempts: finish.attempts,
    ...error,
  };
}
