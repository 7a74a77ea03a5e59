import { DestinationFailure, type FailureKind, type PutItem, type PutOutcome } from '../contract.ts';
import { newTouch, type Touch } from '../touch.ts';
import type { Client, Variable } from './client.ts';
import { endedFailure } from './failure.ts';
import { commentOf } from './mark.ts';
import { outcomeOf, receipt, recordOf, refusal, unanswered } from './outcome.ts';
import { type Plan, plan, type Step } from './plan.ts';
import type { VariableRecord } from './record.ts';
import { foreign, unfit } from './refuse.ts';

/** Variables in one call. All of a project are at most 64 KB per environment, so a call stays small. */
const batchSizeMax = 50;
/** What is wrong with one variable; any other failure of a call would meet the next call too. */
const kindsOfOne: readonly FailureKind[] = ['conflict', 'name', 'invalid', 'quota', 'too-large'];

type Task = { readonly item: PutItem; readonly touch: Touch };
type Job = Task & { readonly plan: Extract<Plan, { kind: 'write' }> };
type Settled = Map<PutItem, PutOutcome>;

export type PutMany = (items: readonly PutItem[], signal: AbortSignal) => Promise<readonly PutOutcome[]>;

/**
 * Puts several variables: one listing, then one call for 50 that are new and one for 50 that get a new value, and one by
 * one what needs more. One outcome per item, in order. When a call fails for a reason that is not about its variables
 * (throttled, no answer, credentials), no further call is made and what is left gets that failure.
 */
export function openWriter(
  client: Client,
  targets: readonly string[],
  list: (signal: AbortSignal) => Promise<readonly VariableRecord[]>,
): PutMany {
  return async (items, signal) => {
    const settled: Settled = new Map();
    const tasks = items.map((item) => ({ item, touch: newTouch() }));
    const fitting = tasks.filter((task) => settleFailure(settled, task, unfit(task.item)));
    try {
      signal.throwIfAborted();
      const records = fitting.length === 0 ? [] : await list(signal);
      const jobs = fitting.flatMap((task) => jobOf(settled, task, plan(task.item, targets, records)));
      await write({ client, targets, settled, signal }, jobs);
    } catch (error) {
      const failure = endedFailure('write variables', error, signal);
      for (const task of fitting) if (!settled.has(task.item)) settleFailure(settled, task, failure);
    }
    return items.map((item) => settled.get(item) ?? { ok: false, failure: unanswered(item.name) });
  };
}

interface Work {
  readonly client: Client;
  readonly targets: readonly string[];
  readonly settled: Settled;
  readonly signal: AbortSignal;
}

async function write(work: Work, jobs: readonly Job[]): Promise<void> {
  const plain = jobs.filter(({ plan: { steps } }) => steps.length === 0);
  const creates = plain.filter(({ plan: { write } }) => write.kind === 'create');
  const replaces = plain.filter(({ plan: { write } }) => write.kind === 'replace');
  for (const batch of batches(creates)) await writeBatch(work, batch, false);
  for (const batch of batches(replaces)) await writeBatch(work, batch, true);
  for (const job of jobs) {
    if (!creates.includes(job) && !replaces.includes(job)) await settling(work, job, () => writeOne(work, job));
  }
}

async function writeBatch(work: Work, jobs: readonly Job[], upsert: boolean): Promise<void> {
  const variables = jobs.map(({ item }) => variableOf(item, work.targets));
  const creation = work.client.create(variables, upsert, work.signal);
  const outcomes = await Promise.all(
    jobs.map(async ({ item, touch }) => [item, await outcomeOf(item, touch, creation)] as const),
  );
  const failure = await creation.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure !== undefined && !isAboutOne(failure)) throw failure;
  // When none of several was written the answer does not say why each was refused: asked one by one, it does.
  if (failure !== undefined && jobs.length > 1) for (const job of jobs) await writeBatch(work, [job], upsert);
  else for (const [item, outcome] of outcomes) work.settled.set(item, outcome);
}

/** A write that first makes room, or that changes the environments of what is there. */
async function writeOne(
  { client, targets, signal }: Work,
  { item, touch, plan: { steps, write } }: Job,
): Promise<VariableRecord> {
  for (const step of steps) await touch.write(() => takeStep(client, step, signal));
  const variable = variableOf(item, targets);
  const { key, ...change } = variable;
  const edited = write.kind === 'edit' ? await touch.write(() => client.edit(write.id, change, signal)) : undefined;
  if (edited !== undefined) return edited;
  // Gone since the listing, or nothing was there: it is made, and refused if somebody was faster.
  const create = () => client.create([variable], write.kind === 'replace', signal);
  return touch.write(async () => recordOf(key, await create()));
}

async function takeStep(client: Client, step: Step, signal: AbortSignal): Promise<void> {
  if (step.kind === 'remove') await client.remove(step.id, signal);
  else await client.edit(step.id, { target: step.targets }, signal);
}

async function settling({ settled }: Work, job: Job, run: () => Promise<VariableRecord>): Promise<void> {
  try {
    settled.set(job.item, receipt(await run()));
  } catch (error) {
    if (!isAboutOne(error)) throw error;
    settleFailure(settled, job, error);
  }
}

function jobOf(settled: Settled, task: Task, decided: Plan): readonly Job[] {
  if (decided.kind === 'write') return [{ ...task, plan: decided }];
  settleFailure(settled, task, foreign(decided.record));
  return [];
}

const variableOf = ({ name, value, mark }: PutItem, target: readonly string[]): Variable => ({
  key: name,
  value: value.reveal(),
  target,
  comment: commentOf(mark),
});

/** True: there was no failure. */
function settleFailure(settled: Settled, { item, touch }: Task, failure: DestinationFailure | undefined): boolean {
  if (failure !== undefined) settled.set(item, refusal(touch, failure));
  return failure === undefined;
}

const isAboutOne = (error: unknown): error is DestinationFailure =>
  error instanceof DestinationFailure && kindsOfOne.includes(error.kind);

function batches(jobs: readonly Job[]): readonly (readonly Job[])[] {
  const count = Math.ceil(jobs.length / batchSizeMax);
  return Array.from({ length: count }, (_, index) => jobs.slice(index * batchSizeMax, (index + 1) * batchSizeMax));
}
