// Beyond the usual files: the host has no look-up by name, and many puts can do without a listing of all variables.
import { DestinationFailure } from '../../contract.ts';
import type { BatchedPut } from '../../frame/verb/batch.ts';
import { idOfVersion } from '../client/record.ts';
import { batches, endsOf, isAboutOne, receipt, variableOf, type Work } from './work.ts';

/**
 * Writes without a listing where the record is certain: new variables, 50 in a call, since the host refuses to create a variable
 * that exists; and a single existing variable by its id. For several of those, a listing and one call are cheaper than a call each.
 * Returns the puts that still need a listing.
 */
export async function writeWithoutListing(work: Work, puts: readonly BatchedPut[]): Promise<readonly BatchedPut[]> {
  const fresh = puts.filter(({ item }) => item.asRecorded && item.mode === 'create');
  for (const batch of batches(fresh)) await createBatch(work, batch);
  const left = () => puts.filter(({ item }) => !work.settled.has(item));
  const [only, ...others] = left();
  if (only !== undefined && others.length === 0) await editOne(work, only);
  return left();
}

/** Variables that conflict with existing ones need a look; so do all of them when the answer gives no reasons. */
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

/** A variable that is gone, was renamed, or conflicts with another one needs a look. */
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

/** The edit changed nothing, because no variable has the id. */
const gone = new DestinationFailure('missing', 'the variable no longer exists');
