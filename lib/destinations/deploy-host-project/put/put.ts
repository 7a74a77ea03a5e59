import { foreignObject } from '../../frame/rules/found.ts';
import type { BatchedPut, PutMany, Settled } from '../../frame/verb/batch.ts';
import type { Client } from '../client/client.ts';
import type { VariableRecord } from '../client/record.ts';
import { type Plan, plan, type Step } from './plan.ts';
import { writeWithoutListing } from './without-listing.ts';
import { batches, endsOf, isAboutOne, receipt, recordOf, variableOf, type Work } from './work.ts';

type Job = BatchedPut & { readonly plan: Extract<Plan, { kind: 'write' }> };

/**
 * Puts several variables: first those that need no listing (see without-listing.ts); then one listing, one call for each 50 new
 * variables and each 50 with a new value, and single calls for the rest. When a call fails for a reason that does not concern its
 * variables (throttled, no answer, credentials), no further call is made and the rest gets that failure.
 */
export function openPut(
  client: Client,
  targets: readonly string[],
  list: (signal: AbortSignal) => Promise<readonly VariableRecord[]>,
): PutMany {
  return async (puts, settled, signal) => {
    const work: Work = { client, targets, settled, signal };
    const open = await writeWithoutListing(work, puts);
    const records = open.length === 0 ? [] : await list(signal);
    await write(
      work,
      open.flatMap((put) => jobOf(settled, put, plan(put.item, targets, records))),
    );
  };
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
  const ends = await endsOf(jobs, creation);
  const failure = await creation.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure !== undefined && !isAboutOne(failure)) throw failure;
  // When all of several were refused, the answer gives no reasons, so each one is sent again separately.
  if (failure !== undefined && jobs.length > 1) for (const job of jobs) await writeBatch(work, [job], upsert);
  else for (const [item, end] of ends) work.settled.set(item, end);
}

/** A write that first removes variables, or that changes the environments of one. */
async function writeOne(
  { client, targets, signal }: Work,
  { item, tracker, plan: { steps, write } }: Job,
): Promise<VariableRecord> {
  for (const step of steps) await tracker.write(() => takeStep(client, step, signal));
  const variable = variableOf(item, targets);
  const { key, ...change } = variable;
  const edited = write.kind === 'edit' ? await tracker.write(() => client.edit(write.id, change, signal)) : undefined;
  if (edited !== undefined) return edited;
  // The variable is new, or was removed since the listing: create it, which the host refuses if another one exists meanwhile.
  const create = () => client.create([variable], write.kind === 'replace', signal);
  return tracker.write(async () => recordOf(key, await create()));
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
    settled.set(job.item, error);
  }
}

function jobOf(settled: Settled, put: BatchedPut, decided: Plan): readonly Job[] {
  if (decided.kind === 'write') return [{ ...put, plan: decided }];
  settled.set(put.item, foreignObject(`a variable ${decided.record.name} for ${decided.record.targets.join(', ')}`));
  return [];
}
