import type { DeletedSecret } from '@azure/keyvault-secrets';
import type { Log } from '#core/log/log.ts';
import type { RemoveItem } from '../contract.ts';
import { warnOfForeign } from '../frame/rules/found.ts';
import { type Client, withoutPolling } from './client/client.ts';
import { statusOf } from './failure.ts';
import { Denied, type Found, foundOf, isOurs, look } from './look/look.ts';
import { findDeleted, obstacleOf, purgeDeleted, recoverDeleted, release, untilSettled } from './put/soft-delete.ts';

/**
 * Deletes the secret if it is ours, and purges it with `purge`. The vault has no conditional deletion, so the deleted secret is
 * checked again: if another client wrote it between our look and our deletion, it is recovered.
 * Without permission to look, the secret of this name is deleted as the record says.
 */
export async function remove(
  client: Client,
  item: RemoveItem,
  purge: boolean,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const { name } = item;
  const found = provenBy(item) ?? (await look(client, name, signal));
  if (found !== undefined && !(found instanceof Denied)) {
    if (!isOurs(found, item)) return warnOfForeign(log, name);
    if (!purge && item.many !== true) await release(client, name, found, signal);
  }
  const deleted = await untilSettled(signal, () => softDelete(client, name, signal));
  if (deleted === 'for good') return;
  // An earlier removal may have ended before its purge. A secret that others deleted stays.
  const left = deleted === 'absent' ? await findLeft(client, item, purge, signal) : deleted;
  if (left === undefined) return;
  if (!(found instanceof Denied) && !isOurs(foundOf(left.properties), item)) return giveBack(client, name, log, signal);
  if (purge) await untilSettled(signal, () => settled(purgeDeleted(client, name, signal)));
}

/** The secret as a survey saw it a moment ago, if it had our mark. The answer to the deletion shows whether that still holds. */
const provenBy = ({ seen, mark }: RemoveItem): Found | undefined =>
  seen?.mark === mark ? { ...seen, released: false } : undefined;

type Deleted = DeletedSecret | 'for good' | 'absent';

async function softDelete(client: Client, name: string, signal: AbortSignal): Promise<Deleted | undefined> {
  try {
    const poller = await client.call(signal, (secrets) =>
      secrets.beginDeleteSecret(name, { ...withoutPolling, abortSignal: signal }),
    );
    const deleted = poller.getResult();
    // Old vaults without soft delete return no recovery id.
    return deleted?.recoveryId === undefined ? 'for good' : deleted;
  } catch (error) {
    const obstacle = obstacleOf(error);
    if (statusOf(error) === 404 || obstacle === 'deleted') return 'absent';
    if (obstacle === 'in progress') return undefined;
    throw error;
  }
}

async function findLeft(client: Client, item: RemoveItem, purge: boolean, signal: AbortSignal) {
  const left = purge ? await findDeleted(client, item.name, signal) : undefined;
  return left !== undefined && isOurs(foundOf(left.properties), item) ? left : undefined;
}

async function giveBack(client: Client, name: string, log: Log, signal: AbortSignal): Promise<void> {
  log.warn({ name }, 'the secret was written by another client during its removal, so it is being recovered');
  await untilSettled(signal, () => settled(recoverDeleted(client, name, signal)));
}

/** Resolves to undefined for 404 and 409, while the secret is still being deleted. */
async function settled(step: Promise<void>): Promise<true | undefined> {
  try {
    await step;
    return true;
  } catch (error) {
    if (statusOf(error) === 404 || obstacleOf(error) !== undefined) return undefined;
    throw error;
  }
}
