// Beyond the usual files: a page of secrets is another request than a look, and shows less.
import { ListSecretsCommand, type SecretListEntry } from '@aws-sdk/client-secrets-manager';
import type { Listed, ListFrom, ListPage } from '../../contract.ts';
import type { Client } from '../client.ts';
import { markTag } from '../names.ts';
import { currentVersionIn, type RemoteSecret, tagsIn } from './look.ts';
import { toRemoteVersion } from './receipt.ts';

/** Whether a secret has another key than the destination names. */
type KeyDiffers = (found: Pick<RemoteSecret, 'kmsKeyId'>) => boolean;

/** The service's maximum. */
const pageSize = 100;

/**
 * A page of ListSecrets, which leaves out secrets that are scheduled for deletion. It may lack the changes of the last five minutes, and
 * shows no replicas: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_ListSecrets.html
 */
export async function list(
  client: Client,
  keyDiffers: KeyDiffers,
  { prefix, after }: ListFrom,
  signal: AbortSignal,
): Promise<ListPage> {
  const request = new ListSecretsCommand({
    MaxResults: pageSize,
    ...(prefix !== '' && { Filters: [{ Key: 'name', Values: [prefix] }] }),
    ...(after !== null && { NextToken: after }),
  });
  const { SecretList = [], NextToken } = await client.read(signal, (sdk, options) => sdk.send(request, options));
  return { objects: SecretList.flatMap((entry) => toListed(keyDiffers, entry)), after: NextToken ?? null };
}

function toListed(keyDiffers: KeyDiffers, entry: SecretListEntry): readonly Listed[] {
  const { ARN: arn, Name: name, KmsKeyId: kmsKeyId, LastChangedDate } = entry;
  if (name === undefined || entry.DeletedDate !== undefined) return [];
  const version = currentVersionIn(entry.SecretVersionsToStages);
  const tags = tagsIn(entry.Tags);
  return [
    {
      name,
      remoteVersion: version === null ? null : toRemoteVersion(version, arn),
      changedAt: LastChangedDate ?? null,
      mark: tags[markTag] ?? null,
      tags,
      differs: keyDiffers({ kmsKeyId }),
    },
  ];
}
