// Beyond the usual files: a deleted secret keeps its name until it is recovered or purged.
import type { DeletedSecret } from '@azure/keyvault-secrets';
import { DestinationFailure, type PutItem } from '../contract.ts';
import type { Client } from './client.ts';
import { codesOf, statusOf } from './failure.ts';
import type { Found } from './look.ts';
import { managedRemoved, managedTag, tags } from './tags.ts';

/**
 * A vault keeps what was deleted and the name with it. A secret goes
 *
 *     live → being deleted → deleted → being recovered → live
 *                                   ↘ being purged → gone
 *
 * and while it is on the way the vault answers 409. Each way takes seconds.
 * https://learn.microsoft.com/azure/key-vault/general/soft-delete-overview
 */
export type Obstacle = 'on the way' | 'deleted';

/** What a 409 stands for; undefined: something else. */
export function obstacleOf(error: unknown): Obstacle | undefined {
  if (statusOf(error) !== 409) return undefined;
  const codes = codesOf(error);
  if (codes.includes('ObjectIsDeletedButRecoverable')) return 'deleted';
  return codes.some((code) => code.startsWith('ObjectIsBeing')) ? 'on the way' : undefined;
}

/** Starts to bring the name of a deleted secret back into use: by recovery, or by a purge. It is done some time later. */
export async function freeName(
  client: Client,
  item: PutItem,
  purge: boolean,
  signal: AbortSignal,
  recovering: () => void,
): Promise<void> {
  const deleted = await findDeleted(client, item.name, signal);
  if (deleted === undefined) return;
  const ours = isManaged(deleted);
  // To recover what others deleted would bring their old versions back to light.
  if (!ours && item.mode !== 'adopt') throw foreignDeleted();
  if (purge && ours) return tolerate(purgeDeleted(client, item.name, signal));
  recovering();
  await tolerate(recoverDeleted(client, item.name, signal));
}

/**
 * Says on one of our secrets that nobody of us holds it any more, before it is deleted. Whoever of us gets the name next
 * recovers it; should it crash before its own put, this tag says that the secret is free to take.
 */
export async function release(
  client: Client,
  name: string,
  { mark, remoteVersion }: Found,
  signal: AbortSignal,
): Promise<void> {
  if (remoteVersion === null || mark === null) return;
  const given = { ...tags.builtIn(mark), [managedTag]: managedRemoved };
  const update = client.call(signal, (secrets) =>
    secrets.updateSecretProperties(name, remoteVersion, { tags: given, abortSignal: signal }),
  );
  await update.catch((error: unknown) => {
    // Not permitted, or deleted meanwhile: the removal itself does not need it.
    if (![403, 404, 409].includes(statusOf(error) ?? 0)) throw error;
  });
}

export async function findDeleted(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<DeletedSecret | undefined> {
  try {
    return await client.read(signal, (secrets) => secrets.getDeletedSecret(name, { abortSignal: signal }));
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Written by this service, for whichever association. */
const isManaged = ({ properties }: DeletedSecret): boolean => properties.tags?.[managedTag] !== undefined;

export async function purgeDeleted(client: Client, name: string, signal: AbortSignal): Promise<void> {
  try {
    await client.call(signal, (secrets) => secrets.purgeDeletedSecret(name, { abortSignal: signal }));
  } catch (error) {
    if (statusOf(error) !== 403) throw error;
    throw new DestinationFailure(
      'permission',
      'cannot purge it: that needs the permission purge, and a vault with purge protection never allows it (set purge_on_delete to false)',
    );
  }
}

export async function recoverDeleted(client: Client, name: string, signal: AbortSignal): Promise<void> {
  await client.call(signal, (secrets) => secrets.beginRecoverDeletedSecret(name, { abortSignal: signal }));
}

/** Somebody else was quicker, or it is on the way: the next put will see. */
async function tolerate(step: Promise<void>): Promise<void> {
  try {
    await step;
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
  }
}

const foreignDeleted = () =>
  new DestinationFailure(
    'conflict',
    'a deleted secret, which this service did not write, still holds the name: recover or purge it in the vault, change secret_name_template, or adopt it',
  );
