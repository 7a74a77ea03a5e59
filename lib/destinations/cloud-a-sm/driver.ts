import { DestinationFailure, type Driver, type OpenDriver } from '../contract.ts';
import { openClient } from './client.ts';
import type { fields } from './fields.ts';
import { look } from './look.ts';
import { put } from './put.ts';
import { remove } from './remove.ts';
import { markTag } from './tags.ts';

/**
 * Permissions: CreateSecret, PutSecretValue, DeleteSecret, RestoreSecret, TagResource, UntagResource, DescribeSecret; with
 * `kms_key_id` UpdateSecret and the use of the key, with `replica_regions` ReplicateSecretToRegions and
 * RemoveRegionsFromReplication. Without DescribeSecret we write unseen: an own secret is not told from a foreign one
 * after a crash. No value is ever read.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context): Driver => {
  const client = openClient(connection, context);

  async function inspect(name: string, signal: AbortSignal) {
    const found = await look(client, name, signal);
    if (found === 'unknown') return found;
    if (found === undefined || found.deleted) return undefined;
    return { remoteVersion: found.currentVersion, mark: found.tags[markTag] ?? null };
  }

  return {
    put: (item, signal) => failing(`write secret ${item.name}`, signal, () => put(client, connection, item, signal)),
    remove: (item, signal) =>
      failing(`remove secret ${item.name}`, signal, () => remove(client, connection, context.log, item, signal)),
    inspect: (name, signal) => failing(`look at secret ${name}`, signal, () => inspect(name, signal)),
    close: async () => client.close(),
  };
};

/** Lets nothing but `DestinationFailure` out. */
async function failing<Result>(action: string, signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
  try {
    signal.throwIfAborted();
    return await run();
  } catch (cause) {
    if (cause instanceof DestinationFailure) throw cause;
    if (signal.aborted) throw new DestinationFailure('timeout', `cannot ${action}: the operation was ended`);
    throw new DestinationFailure('internal', `cannot ${action}: unexpected error`, { cause });
  }
}
