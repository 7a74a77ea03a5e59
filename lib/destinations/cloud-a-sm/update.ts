// Beyond the usual files: a put is a creation or an update, two requests with rules of their own; this is the second.
import { RestoreSecretCommand, UpdateSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { PutItem } from '../contract.ts';
import type { Client } from './client.ts';
import { ServiceFailure } from './failure.ts';
import type { Connection } from './fields.ts';
import type { RemoteSecret } from './look.ts';
import { knownOf } from './receipt.ts';
import { changeReplicas, isSameKey } from './replicas.ts';
import { changeTags, tagChanges } from './tagging.ts';
import { type Written, writeValue } from './versions.ts';

/**
 * Brings a secret that is there in line with the item. Resolves to the version of the value; to `gone` if the secret vanished or was
 * deleted in between, and to `restored` if it had been: then it is worth another look. The tags go first: once the mark is on it, a crash
 * leaves a secret that we know again. All goes to the ARN that was seen or, where we may not look, to the one that is recorded:
 * a secret that takes its place meanwhile is not touched.
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

/** Name or ARN of the secret that is meant. Whoever adopts means whatever has the name. */
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

/** We may not look, but the service said that the secret waits for its deletion. */
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
 * Without the field the key stays: taking a key off a secret that somebody protected with it would be a step back. Where we may
 * not look, the key is set each time: a value must never be kept by another key unnoticed.
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

/** Whether the secret is under another key than the wanted one. Where none is wanted, any will do. */
export const keyDiffers = (wanted: string | undefined, { kmsKeyId }: Pick<RemoteSecret, 'kmsKeyId'>): boolean =>
  wanted !== undefined && !isSameKey(wanted, kmsKeyId ?? '');
