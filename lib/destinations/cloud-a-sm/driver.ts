import type { OpenDriver } from '../contract.ts';
import { framed } from '../frame/framed.ts';
import { permissionsOf } from './check.ts';
import { followed, openClient } from './client.ts';
import type { fields } from './fields/fields.ts';
import { definition } from './index.ts';
import { list } from './look/list.ts';
import { look } from './look/look.ts';
import { toRemoteVersion } from './look/receipt.ts';
import { markTag } from './names.ts';
import { put } from './put/put.ts';
import { replicasDiffer } from './put/replicas.ts';
import { keyDiffers } from './put/update.ts';
import { remove } from './remove.ts';

/**
 * Permissions: CreateSecret, PutSecretValue, DeleteSecret, RestoreSecret, TagResource, UntagResource, DescribeSecret; with
 * `kms_key_id` UpdateSecret and the use of the key, with `replica_regions` ReplicateSecretToRegions and
 * RemoveRegionsFromReplication; to find drift by pages and to show foreign secrets,
 * ListSecrets. Without DescribeSecret we write without looking first, and cannot distinguish our own secret from
 * a foreign one after a crash. No value is ever read.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);

  async function inspect(name: string, signal: AbortSignal) {
    const found = await look(client, name, signal);
    if (found === 'unknown') return found;
    if (found === undefined || found.deleted) return undefined;
    const { arn, currentVersion, tags } = found;
    const remoteVersion = currentVersion === null ? null : toRemoteVersion(currentVersion, arn);
    const differs = keyDiffers(connection.kms_key_id, found) || replicasDiffer(connection.replica_regions, found);
    return { remoteVersion, mark: tags[markTag] ?? null, tags, differs };
  }

  return framed(definition, {
    put: (item, tracker, signal) => put(followed(client, tracker), connection, item, signal),
    remove: (item, signal) => remove(client, connection, context.log, item, signal),
    look: inspect,
    list: (from, signal) => list(client, (found) => keyDiffers(connection.kms_key_id, found), from, signal),
    permissions: permissionsOf(client, connection),
    close: async () => client.close(),
  });
};
