import { DestinationFailure, type PutItem, type PutOutcome } from '../contract.ts';
import type { Creation } from './client.ts';
import { codeFailure } from './failure.ts';
import type { VariableRecord } from './record.ts';

/** What the answer to a write says of one item. */
export function outcomeOf({ name }: PutItem, creation: Creation): PutOutcome {
  const outcome = recordOf(name, creation);
  return outcome instanceof DestinationFailure ? { ok: false, failure: outcome } : receipt(outcome);
}

export function recordOf(name: string, { created, failed }: Creation): VariableRecord | DestinationFailure {
  const record = created.find((entry) => entry.name === name);
  if (record !== undefined) return record;
  const refused = failed.find((entry) => entry.name === name);
  return refused === undefined ? unanswered(name) : codeFailure(`write variable ${name}`, refused.code);
}

export const receipt = ({ version }: VariableRecord): PutOutcome => ({ ok: true, receipt: { remoteVersion: version } });

/** An item that an answer does not mention. */
export const unanswered = (name: string) =>
  new DestinationFailure('unavailable', `the service did not say what became of variable ${name}`);
