import { DestinationFailure } from '../../destinations/contract.ts';
import type { Outcome } from '../../queue/contract.ts';
import { logAttempt } from './attempt-log.ts';
import { jobOutcome, type ReconcileParts, unclaimed } from './reconcile.ts';
import { report } from './report.ts';

/**
 * Counts an attempt as failed without a call: one worker after another has ended with this association in flight, and the next
 * would end as well. It is tried again as after any internal failure, with a new job, until its attempts are used up.
 */
export async function failSpent(parts: ReconcileParts, id: string): Promise<Outcome> {
  const claim = await parts.claim(id);
  if (claim.kind !== 'claimed') return unclaimed(claim);
  const failure = new DestinationFailure('internal', message);
  const noticed = { unconfirmed: false, mended: 0 };
  const { finish } = report(parts, claim, [], [{ kind: 'failed', subKey: '', name: '', failure }], noticed);
  const finished = await parts.finish(finish);
  logAttempt(parts.log, { claim, finish, finished, failure });
  const outcome = jobOutcome(finish, finished);
  return outcome.kind === 'again' && finished !== 'lost' ? { kind: 'failed', afterMs: outcome.afterMs } : outcome;
}

const message =
  'one worker after another ended, or lost its lock, while it had this in flight: see the memory and the logs of the workers';
