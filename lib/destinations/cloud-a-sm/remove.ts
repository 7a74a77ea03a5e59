import { DeleteSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { Log } from '../../core/log.ts';
import { DestinationFailure, type RemoveItem } from '../contract.ts';
import { warnOfForeign } from '../frame/rules/foreign.ts';
import type { Client } from './client.ts';
import { isGone } from './failure.ts';
import type { Connection } from './fields.ts';
import { isOurs, look, type RemoteSecret } from './look.ts';
import { knownOf } from './receipt.ts';
import { removeReplicas } from './replicas.ts';
import { changeTags } from './tagging.ts';
import { ownerRemoved, ownerTag } from './tags.ts';

/**
 * Deletes the secret, with its recovery window or at once. One that waits for its deletion already is removed. One that
 * bears neither our mark nor our version replaced ours: nothing of ours is left to remove.
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
    // The service deletes no secret that has replicas.
    await removeReplicas(client, secret, found.replicaRegions, signal);
    if (days > 0 && item.many !== true) await release(client, secret, signal);
  }
  await deleteSecret(client, secret, days, signal);
}

/** Name or ARN: a secret that takes the place of the one that was seen, or that is recorded, is not ours to delete. */
function idOf(found: RemoteSecret | 'unknown' | undefined, { name, remoteVersion }: RemoveItem): string {
  const arn = typeof found === 'object' ? found.arn : knownOf(remoteVersion).arn;
  return arn ?? name;
}

/**
 * Says on the secret that nobody of us holds it any more. Whoever of us gets this name next restores the secret; should it
 * crash before its own mark is on, this tag says that the secret is free to take.
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
