import { DestinationFailure, type FailureKind, type PutItem, type PutOutcome } from '../contract.ts';
import type { WriteTracker } from '../frame/write-tracker.ts';
import type { Client, Variable } from './client.ts';
import { commentOf } from './mark.ts';
import { refusal } from './outcome.ts';

/** Variables in one call. All of a project are at most 64 KB per environment, so a call stays small. */
const batchSizeMax = 50;
/** What is wrong with one variable; any other failure of a call would meet the next call too. */
const kindsOfOne: readonly FailureKind[] = ['conflict', 'name', 'invalid', 'quota', 'too-large'];

/** One of several puts. */
export interface Task {
  readonly item: PutItem;
  readonly tracker: WriteTracker;
}

/** Several puts on their way. */
export interface Work {
  readonly client: Client;
  readonly targets: readonly string[];
  /** Those that are through. */
  readonly settled: Map<PutItem, PutOutcome>;
  readonly signal: AbortSignal;
}

export const variableOf = ({ name, value, mark }: PutItem, target: readonly string[]): Variable => ({
  key: name,
  value: value.reveal(),
  target,
  comment: commentOf(mark),
});

/** True: there was no failure. */
export function settleFailure(
  settled: Work['settled'],
  { item, tracker }: Task,
  failure: DestinationFailure | undefined,
): boolean {
  if (failure !== undefined) settled.set(item, refusal(tracker, failure));
  return failure === undefined;
}

export const isAboutOne = (error: unknown): error is DestinationFailure =>
  error instanceof DestinationFailure && kindsOfOne.includes(error.kind);

export function batches<T>(jobs: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(jobs.length / batchSizeMax);
  return Array.from({ length: count }, (_, index) => jobs.slice(index * batchSizeMax, (index + 1) * batchSizeMax));
}
