import { DeleteSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { Log } from '#core/log/log.ts';
import { DestinationFailure, type RemoveItem } from '../contract.ts';
import { warnOfForeign } from '../frame/rules/found.ts';
import type { Client } from './client.ts';
import { isGone } from './failure/failure.ts';
import type { Connection } from './fields/fields.ts';
import { isOurs, look, type RemoteSecret } from './look/look.ts';
import { knownOf } from './look/receipt.ts';
import { ownerRemoved, ownerTag } from './names.ts';
import { removeReplicas } from './put/replicas.ts';
import { changeTags } from './put/tagging.ts';

/**
 * Deletes the secret, with its recovery window or at once. A secret that is already scheduled for deletion counts as removed. A
 * secret with neither our mark nor our version has replaced ours and stays.
 */
export async function remove(
  client: Client,
  { recovery_window_days: days }: Connection,
  log: Log,
  item: RemoveItem,
  signal: AbortSignal,
): Promise<void> {
  const { name } = item;
  const found = await look(client, name, signal);
  const secret = idOf(found, item);
  if (found === undefined || (found !== 'unknown' && found.deleted)) return;
  if (found !== 'unknown') {
    if (!isOurs(found, item)) {
      warnOfForeign(log, name);
      return;
    }
    // The service refuses to delete a secret that has replicas.
    await removeReplicas(client, secret, found.replicaRegions, signal);
    if (days > 0 && item.many !== true) await release(client, secret, signal);
  }
  await deleteSecret(client, secret, days, signal);
}

/** Name or ARN. With the ARN that we saw or recorded, a secret that replaced ours meanwhile is not deleted. */
function idOf(found: RemoteSecret | 'unknown' | undefined, { name, remoteVersion }: RemoveItem): string {
  const arn = typeof found === 'object' ? found.arn : knownOf(remoteVersion).arn;
  return arn ?? name;
}

/**
 * Tags the secret as released. The next association with this name restores the secret; if it crashes before it has set its own
 * mark, this tag shows that the secret is free to take.
 */
async function release(client: Client, name: string, signal: AbortSignal): Promise<void> {
  try {
    await changeTags(client, name, { set: { [ownerTag]: ownerRemoved }, unset: [] }, signal);
  } catch (error) {
    const unneeded = isGone(error) || (error instanceof DestinationFailure && error.kind === 'permission');
    if (!unneeded) throw error;
  }
}

async function deleteSecret(client: Client, name: string, days: number, signal: AbortSignal): Promise<void> {
  const how = days === 0 ? { ForceDeleteWithoutRecovery: true } : { RecoveryWindowInDays: days };
  try {
    await client.call(signal, (sdk, options) => sdk.send(new DeleteSecretCommand({ SecretId: name, ...how }), options));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
