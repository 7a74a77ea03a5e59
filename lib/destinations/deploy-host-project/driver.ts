import { coalesce } from '../../core/coalesce.ts';
import { DestinationFailure, type Driver, type Inspection, type OpenDriver, type PutItem } from '../contract.ts';
import { openClient } from './client.ts';
import { endedFailure } from './failure.ts';
import { environments, type fields } from './fields.ts';
import { overlaps, ownRecords } from './plan.ts';
import { idOfVersion, type VariableRecord } from './record.ts';
import { openWriter } from './writer.ts';

/** Callers that share one listing, and listings under way at once. */
const listing = { batchSizeMax: 1000, batchesMax: 2 };

/**
 * Where the record leaves no doubt, a new variable is made (which never overwrites) and one of ours is changed or removed by
 * its id, which nobody else's can have. Otherwise each verb first looks at the project's variables. The host has no look-up
 * by name, so calls that come at the same time share one listing; a listing is never kept for a later call, because acting
 * on an old one could overwrite what somebody else has made since.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context): Driver => {
  const client = openClient(connection, context);
  const targets = environments.filter((environment) => connection.deployment_environments.includes(environment));
  const sharedList = coalesce<undefined, readonly VariableRecord[]>(async (callers) => {
    const records = await client.list();
    return callers.map(() => records);
  }, listing);
  const list = async (signal: AbortSignal) => {
    signal.throwIfAborted();
    return orAborted(sharedList(undefined), signal);
  };
  const putMany = openWriter(client, targets, list);

  async function put(item: PutItem, signal: AbortSignal) {
    const [outcome] = await putMany([item], signal);
    if (outcome?.ok === true) return outcome.receipt;
    throw outcome?.failure ?? new DestinationFailure('internal', `no outcome for variable ${item.name}`);
  }

  async function inspect(name: string, signal: AbortSignal): Promise<Inspection | undefined> {
    const present = (await list(signal)).filter((record) => record.name === name && record.branch === null);
    const shared = present.filter((record) => overlaps(record, targets));
    const record = shared.find(({ mark }) => mark !== null) ?? shared[0];
    return record && { remoteVersion: record.version, mark: record.mark };
  }

  return {
    put: (item, signal) => named(`write variable ${item.name}`, signal, () => put(item, signal)),
    putMany: (items, signal) => putMany(items, signal),
    remove: ({ name, mark, remoteVersion, asRecorded }, signal) =>
      named(`remove variable ${name}`, signal, async () => {
        const id = asRecorded === true ? idOfVersion(remoteVersion) : undefined;
        if (id !== undefined && (await client.remove(id, signal))) return;
        const present = (await list(signal)).filter((record) => record.name === name);
        const own = ownRecords({ name, claim: 'update', mark, remoteVersion }, present);
        const foreign =
          own.length === 0 && present.some((record) => record.branch === null && overlaps(record, targets));
        if (foreign) context.log.warn({ name }, 'nothing to remove: the variable of this name is not ours');
        for (const { id } of own) await client.remove(id, signal);
      }),
    inspect: (name, signal) =>
      named(`look at variable ${name}`, signal, () => inspect(name, signal)).catch(unknownIfForbidden),
    close: () => client.close(),
  };
};

function unknownIfForbidden(error: unknown): 'unknown' {
  if (error instanceof DestinationFailure && error.kind === 'permission') return 'unknown';
  throw error;
}

/** Lets nothing but `DestinationFailure` out. */
async function named<T>(action: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  try {
    signal.throwIfAborted();
    return await run();
  } catch (error) {
    throw endedFailure(action, error, signal);
  }
}

/** A shared call goes on for the others when one caller leaves. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
