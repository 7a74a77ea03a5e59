import type { DeletedSecret } from '@azure/keyvault-secrets';
import type { Log } from '../../core/log.ts';
import type { RemoveItem } from '../contract.ts';
import { warnOfForeign } from '../frame/rules/foreign.ts';
import { type Client, unfollowed } from './client.ts';
import { statusOf } from './failure.ts';
import { type Found, foundOf, isOurs, look } from './look.ts';
import { untilSettled } from './settle.ts';
import { findDeleted, obstacleOf, purgeDeleted, recoverDeleted, release } from './soft-delete.ts';

/**
 * Deletes the secret if it is ours, and purges it with `purge`. The vault has no conditional deletion, so what was deleted is
 * looked at again: if somebody wrote between our look and our deletion, theirs is recovered.
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
  if (typeof found === 'object') {
    if (!isOurs(found, item)) return warnOfForeign(log, name);
    if (!purge && item.many !== true) await release(client, name, found, signal);
  }
  const deleted = await untilSettled(signal, () => softDelete(client, name, signal));
  if (deleted === 'for ever') return;
  // Left over from a removal that ended before its purge. What others deleted is theirs.
  const left = deleted === 'was not there' ? await findLeft(client, item, purge, signal) : deleted;
  if (left === undefined) return;
  if (found !== 'unknown' && !isOurs(foundOf(left.properties), item)) return giveBack(client, name, log, signal);
  if (purge) await untilSettled(signal, () => settled(purgeDeleted(client, name, signal)));
}

/** What was seen of the secret a moment ago, if that shows our mark. The answer to the deletion says whether it is so still. */
const provenBy = ({ seen, mark }: RemoveItem): Found | undefined =>
  seen?.mark === mark ? { ...seen, released: false } : undefined;

type Deleted = DeletedSecret | 'for ever' | 'was not there';

async function softDelete(client: Client, name: string, signal: AbortSignal): Promise<Deleted | undefined> {
  try {
    const poller = await client.call(signal, (secrets) =>
      secrets.beginDeleteSecret(name, { ...unfollowed, abortSignal: signal }),
    );
    const deleted = poller.getResult();
    // Old vaults without soft delete give no recovery id.
    return deleted?.recoveryId === undefined ? 'for ever' : deleted;
  } catch (error) {
    const obstacle = obstacleOf(error);
    if (statusOf(error) === 404 || obstacle === 'deleted') return 'was not there';
    if (obstacle === 'on the way') return undefined;
    throw error;
  }
}

async function findLeft(client: Client, item: RemoveItem, purge: boolean, signal: AbortSignal) {
  const left = purge ? await findDeleted(client, item.name, signal) : undefined;
  return left !== undefined && isOurs(foundOf(left.properties), item) ? left : undefined;
}

async function giveBack(client: Client, name: string, log: Log, signal: AbortSignal): Promise<void> {
  log.warn({ name }, 'somebody wrote the secret of this name while it was removed: it is recovered');
  await untilSettled(signal, () => settled(recoverDeleted(client, name, signal)));
}

/** Undefined for 404 as well as 409: it is still being deleted. */
async function settled(step: Promise<void>): Promise<true | undefined> {
  try {
    await step;
    return true;
  } catch (error) {
    if (statusOf(error) === 404 || obstacleOf(error) !== undefined) return undefined;
    throw error;
  }
}
