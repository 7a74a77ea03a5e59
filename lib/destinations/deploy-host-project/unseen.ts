// Beyond the usual files: the host has no look-up by name, so what can be written without a listing is.
import { DestinationFailure } from '../contract.ts';
import type { BatchedPut } from '../frame/verb/batch.ts';
import { idOfVersion } from './record.ts';
import { batches, endsOf, isAboutOne, receipt, variableOf, type Work } from './work.ts';

/**
 * Writes without a listing where the record leaves no doubt: new variables, 50 in a call, since the host refuses to make one
 * where another is; and one that we wrote by its id. For several of them a listing and one call are less than a call for each.
 * Answers the puts that need a listing all the same.
 */
export async function writeUnseen(work: Work, puts: readonly BatchedPut[]): Promise<readonly BatchedPut[]> {
  const fresh = puts.filter(({ item }) => item.asRecorded && item.mode === 'create');
  for (const batch of batches(fresh)) await createBatch(work, batch);
  const left = () => puts.filter(({ item }) => !work.settled.has(item));
  const [only, ...others] = left();
  if (only !== undefined && others.length === 0) await editOne(work, only);
  return left();
}

/** What is refused because something is in the way needs a look at it; so do all, when the answer does not say why. */
async function createBatch({ client, targets, settled, signal }: Work, puts: readonly BatchedPut[]): Promise<void> {
  const creation = client.create(
    puts.map(({ item }) => variableOf(item, targets)),
    false,
    signal,
  );
  const ends = await endsOf(puts, creation);
  const refused = await creation.then(
    () => false,
    (error: unknown) => {
      if (isAboutOne(error)) return true;
      throw error;
    },
  );
  if (refused && puts.length > 1) return;
  for (const [item, end] of ends) {
    if (!(end instanceof DestinationFailure && end.kind === 'conflict')) settled.set(item, end);
  }
}

/** A variable that is gone, has got another name, or meets another one needs a look. */
async function editOne({ client, targets, settled, signal }: Work, { item, tracker }: BatchedPut): Promise<void> {
  const id = item.asRecorded && item.mode !== 'create' ? idOfVersion(item.remoteVersion) : undefined;
  if (id === undefined) return;
  const { key, ...change } = variableOf(item, targets);
  try {
    const record = await tracker.write(async () => {
      const edited = await client.edit(id, change, signal);
      if (edited === undefined) throw gone;
      return edited;
    });
    if (record.name === key) settled.set(item, receipt(record));
  } catch (error) {
    if (!isAboutOne(error) && error !== gone) throw error;
  }
}

/** Nothing has the id: an edit of it has changed nothing. */
const gone = new DestinationFailure('missing', 'no variable has this id any more');
