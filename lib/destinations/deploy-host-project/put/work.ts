// Beyond the usual files: puts go out in batches, and all ways of writing a batch share this file.
import { DestinationFailure, type FailureKind, type PutItem, type PutReceipt } from '../../contract.ts';
import { type BatchedPut, type Settled, unanswered } from '../../frame/verb/batch.ts';
import { unexpected } from '../../frame/verb/verb.ts';
import type { Client, Creation, Variable } from '../client/client.ts';
import { commentOf, type VariableRecord } from '../client/record.ts';
import { codeFailure } from '../failure.ts';

/** Variables in one call. A project has at most 64 KB of variables per environment, so a call stays small. */
const batchSizeMax = 50;
/** Kinds of failure that concern one variable; any other failure would repeat with the next call. */
const kindsOfOne: readonly FailureKind[] = ['conflict', 'name', 'invalid', 'quota', 'too-large'];

/** Several puts in progress. */
export interface Work {
  readonly client: Client;
  readonly targets: readonly string[];
  readonly settled: Settled;
  readonly signal: AbortSignal;
}

export const variableOf = ({ name, value, mark }: PutItem, target: readonly string[]): Variable => ({
  key: name,
  value: value.reveal(),
  target,
  comment: commentOf(mark),
});

/** The outcome of each put in a write of several. */
export function endsOf(puts: readonly BatchedPut[], creation: Promise<Creation>) {
  return Promise.all(puts.map(async (put) => [put.item, await endOf(put, creation)] as const));
}

async function endOf({ item, tracker }: BatchedPut, creation: Promise<Creation>) {
  try {
    return receipt(await tracker.write(async () => recordOf(item.name, await creation)));
  } catch (error) {
    return unexpected(error);
  }
}

/** @throws DestinationFailure when it was not written */
export function recordOf(name: string, { created, failed }: Creation): VariableRecord {
  const record = created.find((entry) => entry.name === name);
  if (record !== undefined) return record;
  const refused = failed.find((entry) => entry.name === name);
  throw refused === undefined ? unanswered() : codeFailure(refused.code);
}

export const receipt = ({ version }: VariableRecord): PutReceipt => ({ remoteVersion: version });

export const isAboutOne = (error: unknown): error is DestinationFailure =>
  error instanceof DestinationFailure && kindsOfOne.includes(error.kind);

export function batches<T>(jobs: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(jobs.length / batchSizeMax);
  return Array.from({ length: count }, (_, index) => jobs.slice(index * batchSizeMax, (index + 1) * batchSizeMax));
}
