// Beyond the usual files: a put is a creation or an update, two requests with rules of their own; this is the first.
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { PutItem } from '../contract.ts';
import type { Client } from './client.ts';
import { ServiceFailure } from './failure.ts';
import type { Connection } from './fields.ts';
import { toReplicas } from './replicas.ts';
import { toTags } from './tagging.ts';
import { nextVersion } from './versions.ts';

/**
 * Creates the secret. Resolves to its version, or undefined if the name is taken or still being deleted. The version is one of
 * this intent: a secret of the same mark that was removed and that somebody has restored does not pass for the new one.
 */
export async function create(
  client: Client,
  connection: Connection,
  item: PutItem,
  signal: AbortSignal,
): Promise<string | undefined> {
  const version = nextVersion(item.mark, item.remoteVersion ?? item.intent);
  const command = new CreateSecretCommand({
    Name: item.name,
    SecretString: item.value.reveal(),
    ClientRequestToken: version,
    Tags: toTags(item.tags),
    ...optionsOf(connection),
  });
  try {
    await client.call(signal, (sdk, options) => sdk.send(command, options));
    return version;
  } catch (error) {
    if (error instanceof ServiceFailure && (error.scheduled || error.code === 'ResourceExistsException')) {
      return undefined;
    }
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
