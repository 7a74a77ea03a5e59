import { outcomeOf, receipt } from './outcome.ts';
import { idOfVersion } from './record.ts';
import { batches, isAboutOne, type Task, variableOf, type Work } from './work.ts';

/**
 * Writes without a listing where the record leaves no doubt: new variables, 50 in a call, since the host refuses to make one
 * where another is; and one of ours by its id. For several of ours a listing and one call are less than a call for each.
 * Answers the tasks that need a listing all the same.
 */
export async function writeUnseen(work: Work, tasks: readonly Task[]): Promise<readonly Task[]> {
  const fresh = tasks.filter(({ item }) => item.asRecorded && item.claim === 'create');
  for (const batch of batches(fresh)) await createBatch(work, batch);
  const left = () => tasks.filter(({ item }) => !work.settled.has(item));
  const [only, ...others] = left();
  if (only !== undefined && others.length === 0) await editOne(work, only);
  return left();
}

/** What is refused because something is in the way needs a look at it; so do all, when the answer does not say why. */
async function createBatch({ client, targets, settled, signal }: Work, tasks: readonly Task[]): Promise<void> {
  const creation = client.create(
    tasks.map(({ item }) => variableOf(item, targets)),
    false,
    signal,
  );
  const outcomes = await Promise.all(
    tasks.map(async ({ item, tracker }) => [item, await outcomeOf(item, tracker, creation)] as const),
  );
  const refused = await creation.then(
    () => false,
    (error: unknown) => {
      if (isAboutOne(error)) return true;
      throw error;
    },
  );
  if (refused && tasks.length > 1) return;
  for (const [item, outcome] of outcomes) {
    if (outcome.ok || outcome.failure.kind !== 'conflict') settled.set(item, outcome);
  }
}

/** A variable that is gone, has got another name, or meets another one needs a look. */
async function editOne({ client, targets, settled, signal }: Work, { item, tracker }: Task): Promise<void> {
  const id = item.asRecorded && item.claim !== 'create' ? idOfVersion(item.remoteVersion) : undefined;
  if (id === undefined) return;
  const { key, ...change } = variableOf(item, targets);
  try {
    const record = await tracker.write(() => client.edit(id, change, signal));
    if (record?.name === key) settled.set(item, receipt(record));
  } catch (error) {
    if (!isAboutOne(error)) throw error;
  }
}
