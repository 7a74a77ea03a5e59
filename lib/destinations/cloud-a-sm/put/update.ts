// Beyond the usual files: a put is a creation or an update, and each has its own rules; this file has the update.
import { RestoreSecretCommand, UpdateSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { PutItem } from '../../contract.ts';
import type { Client } from '../client.ts';
import { ServiceFailure } from '../failure/failure.ts';
import type { Connection } from '../fields/fields.ts';
import type { RemoteSecret } from '../look/look.ts';
import { knownOf } from '../look/receipt.ts';
import { changeReplicas, isSameKey } from './replicas.ts';
import { changeTags, tagChanges } from './tagging.ts';
import { type Written, writeValue } from './versions.ts';

/**
 * Updates an existing secret to match the item. Resolves to the version of the value, to `gone` if the secret vanished or was deleted
 * in between, or to `restored` if it was deleted and is now restored, so that the caller looks again. Tags are written first: once
 * the secret has our mark, we recognise it after a crash. All requests use the ARN that we saw or, where we may not look, the
 * recorded one, so a secret that replaces it meanwhile is not touched.
 */
export async function update(
  client: Client,
  connection: Connection,
  found: RemoteSecret | 'unknown',
  item: PutItem,
  signal: AbortSignal,
): Promise<Written | 'gone' | 'restored'> {
  const secret = idOf(found, item);
  try {
    if (found !== 'unknown' && found.deleted) await restore(client, secret, signal);
    await changeTags(client, secret, tagChanges(found, item), signal);
    await changeKey(client, secret, connection.kms_key_id, found, signal);
    const written = await writeValue(client, secret, found, item, signal);
    if (found !== 'unknown') await changeReplicas(client, secret, connection.replica_regions, found, signal);
    return written;
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.scheduled && found === 'unknown') return await restoreUnseen(client, secret, signal);
    if (error.scheduled || error.code === 'ResourceNotFoundException') return 'gone';
    throw error;
  }
}

/** Name or ARN of the secret to write. An adoption takes whatever secret has the name. */
function idOf(found: RemoteSecret | 'unknown', { name, mode, remoteVersion }: PutItem): string {
  if (found !== 'unknown') return found.arn ?? name;
  return (mode === 'update' ? knownOf(remoteVersion).arn : undefined) ?? name;
}

async function restore(client: Client, name: string, signal: AbortSignal): Promise<void> {
  await client.call(
    signal,
    (sdk, options) => sdk.send(new RestoreSecretCommand({ SecretId: name }), options),
    'restore it',
  );
}

/** For a secret that we may not look at, but that the service reported as scheduled for deletion. */
async function restoreUnseen(client: Client, name: string, signal: AbortSignal): Promise<'restored' | 'gone'> {
  try {
    await restore(client, name, signal);
    return 'restored';
  } catch (error) {
    if (!(error instanceof ServiceFailure && error.code === 'ResourceNotFoundException')) throw error;
    return 'gone';
  }
}

/**
 * Without the field the key stays: removing a key that protects a secret would weaken it. Where we may not look, the key is set
 * each time, so that no value is ever stored under another key unnoticed.
 */
async function changeKey(
  client: Client,
  name: string,
  wanted: string | undefined,
  found: RemoteSecret | 'unknown',
  signal: AbortSignal,
): Promise<void> {
  if (wanted === undefined || (found !== 'unknown' && !keyDiffers(wanted, found))) return;
  await client.call(
    signal,
    (sdk, options) => sdk.send(new UpdateSecretCommand({ SecretId: name, KmsKeyId: wanted }), options),
    'change its KMS key',
  );
}

/** Whether the secret has a key other than the wanted one. When no key is wanted, every key is accepted. */
export const keyDiffers = (wanted: string | undefined, { kmsKeyId }: Pick<RemoteSecret, 'kmsKeyId'>): boolean =>
  wanted !== undefined && !isSameKey(wanted, kmsKeyId ?? '');
