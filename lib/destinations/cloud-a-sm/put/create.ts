// Beyond the usual files: a put is a creation or an update, and each has its own rules; this file has the creation.
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { PutItem } from '../../contract.ts';
import type { Client } from '../client.ts';
import { ServiceFailure } from '../failure/failure.ts';
import type { Connection } from '../fields/fields.ts';
import { knownOf } from '../look/receipt.ts';
import { toReplicas } from './replicas.ts';
import { toTags } from './tagging.ts';
import { nextVersion } from './versions.ts';

/** The outcome of a creation: the secret, or why it was refused. */
export type Created = { readonly version: string; readonly arn: string | undefined } | 'taken' | 'being deleted';

/**
 * Creates the secret. The version depends on the intent, so a removed secret with the same mark that was restored by hand is not
 * mistaken for the new one.
 */
export async function create(
  client: Client,
  connection: Connection,
  item: PutItem,
  signal: AbortSignal,
): Promise<Created> {
  const version = nextVersion(item.mark, knownOf(item.remoteVersion).version ?? item.intent);
  const command = new CreateSecretCommand({
    Name: item.name,
    SecretString: item.value.reveal(),
    ClientRequestToken: version,
    Tags: toTags(item.tags),
    ...optionsOf(connection),
  });
  try {
    const { ARN: arn } = await client.call(signal, (sdk, options) => sdk.send(command, options));
    return { version, arn };
  } catch (error) {
    if (error instanceof ServiceFailure && error.scheduled) return 'being deleted';
    if (error instanceof ServiceFailure && error.code === 'ResourceExistsException') return 'taken';
    throw error;
  }
}

function optionsOf({ kms_key_id, replica_regions = {} }: Connection) {
  const replicas = toReplicas(replica_regions);
  return {
    ...(kms_key_id !== undefined && { KmsKeyId: kms_key_id }),
    ...(replicas.length > 0 && { AddReplicaRegions: replicas }),
  };
}
