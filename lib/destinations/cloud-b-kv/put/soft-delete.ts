// Beyond the usual files: a deleted secret keeps its name until it is recovered or purged.

import { setTimeout as sleep } from 'node:timers/promises';
import type { DeletedSecret } from '@azure/keyvault-secrets';
import { DestinationFailure, type PutItem } from '../../contract.ts';
import type { Client } from '../client/client.ts';
import { codesOf, statusOf } from '../failure.ts';
import type { Found } from '../look/look.ts';
import { managedRemoved, managedTag, tags } from '../names.ts';

/**
 * A vault keeps a deleted secret and its name. A secret changes its state from
 *
 *     live → being deleted → deleted → being recovered → live
 *                                   ↘ being purged → gone
 *
 * and during each change, which takes seconds, the vault answers 409.
 * https://learn.microsoft.com/azure/key-vault/general/soft-delete-overview
 */
export type Obstacle = 'in progress' | 'deleted';

/** The state that a 409 reports, or undefined for any other error. */
export function obstacleOf(error: unknown): Obstacle | undefined {
  if (statusOf(error) !== 409) return undefined;
  const codes = codesOf(error);
  if (codes.includes('ObjectIsDeletedButRecoverable')) return 'deleted';
  return codes.some((code) => code.startsWith('ObjectIsBeing')) ? 'in progress' : undefined;
}

/** Starts to free the name of a deleted secret, by recovery or by a purge, which the vault finishes later. */
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
  // Recovering a secret that others deleted would expose their old versions.
  if (!ours && item.mode !== 'adopt') throw foreignDeleted();
  if (purge && ours) return tolerate(purgeDeleted(client, item.name, signal));
  recovering();
  await tolerate(recoverDeleted(client, item.name, signal));
}

/**
 * Tags one of our secrets as released, before it is deleted. The next association with the name recovers it; if that one crashes
 * before its own put, this tag shows that the secret is free to take.
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
    // When it is not permitted, or the secret was deleted meanwhile, the removal goes on without the tag.
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

/** Whether this service wrote the secret, for any association. */
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

/** Ignores a step that another client has taken or that is in progress; the next put will see the result. */
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
    'a deleted secret that this service did not write still holds the name: recover or purge it in the vault, change secret_name_template, or adopt it',
  );

// Deletion, recovery and purge continue after their answer, so puts and removals wait.

/** Attempts at a step while the vault is still deleting, recovering or purging: about 70 seconds in all. */
const triesMax = 40;
const pauseMsMin = 100;
const pauseMsMax = 2_000;

/** Repeats `step`, which resolves to undefined while the vault is busy with the secret. */
export async function untilSettled<T>(signal: AbortSignal, step: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < triesMax; tries++) {
    const done = await step();
    if (done !== undefined) return done;
    await sleep(Math.min(pauseMsMax, pauseMsMin * 2 ** tries), undefined, { signal });
  }
  throw new DestinationFailure(
    'unavailable',
    'the vault is still deleting, recovering or purging a secret of this name',
  );
}
