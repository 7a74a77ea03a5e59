import { DestinationFailure, type PutItem, type PutOutcome } from '../contract.ts';
import type { WriteTracker } from '../frame/write-tracker.ts';
import type { Creation } from './client.ts';
import { codeFailure, endedFailure } from './failure.ts';
import type { VariableRecord } from './record.ts';

/** What the answer to a write of several says of one item. */
export async function outcomeOf(
  { name }: PutItem,
  tracker: WriteTracker,
  creation: Promise<Creation>,
): Promise<PutOutcome> {
  try {
    return receipt(await tracker.write(async () => recordOf(name, await creation)));
  } catch (error) {
    return refusal(tracker, endedFailure(`write variable ${name}`, error));
  }
}

/** @throws DestinationFailure when it was not written */
export function recordOf(name: string, { created, failed }: Creation): VariableRecord {
  const record = created.find((entry) => entry.name === name);
  if (record !== undefined) return record;
  const refused = failed.find((entry) => entry.name === name);
  throw refused === undefined ? unanswered(name) : codeFailure(`write variable ${name}`, refused.code);
}

export const refusal = (tracker: WriteTracker, failure: DestinationFailure): PutOutcome => ({
  ok: false,
  failure: tracker.failed(failure),
});

export const receipt = ({ version }: VariableRecord): PutOutcome => ({ ok: true, receipt: { remoteVersion: version } });

/** An item that an answer does not mention. */
export const unanswered = (name: string) =>
  new DestinationFailure('unavailable', `the service did not say what became of variable ${name}`);
