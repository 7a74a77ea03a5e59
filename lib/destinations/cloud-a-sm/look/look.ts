import { DescribeSecretCommand, type DescribeSecretCommandOutput, type Tag } from '@aws-sdk/client-secrets-manager';
import type { PutItem, RemoveItem } from '../../contract.ts';
import type { Client } from '../client.ts';
import { ServiceFailure } from '../failure/failure.ts';
import { markTag, ownerRemoved, ownerTag } from '../names.ts';
import { knownOf } from './receipt.ts';

/** What the service shows of a secret without its value. */
export interface RemoteSecret {
  readonly arn: string | undefined;
  /** The version that readers get, or null when the secret has no value yet. */
  readonly currentVersion: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** Scheduled for deletion, so readers are refused. */
  readonly deleted: boolean;
  readonly kmsKeyId: string | undefined;
  readonly replicaRegions: readonly string[];
  /** By region; an empty text means the account's default key. */
  readonly replicaKeys: Readonly<Record<string, string>>;
}

/** Looks at a secret, also at one that is `deleted`. Returns `'unknown'` without permission for DescribeSecret. */
export async function look(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<RemoteSecret | undefined | 'unknown'> {
  try {
    return toRemote(
      await client.read(
        signal,
        (sdk, options) => sdk.send(new DescribeSecretCommand({ SecretId: name }), options),
        'look at it',
      ),
    );
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.code === 'ResourceNotFoundException') return undefined;
    if (error.kind === 'permission') return 'unknown';
    throw error;
  }
}

function toRemote(answer: DescribeSecretCommandOutput): RemoteSecret {
  const replicas = (answer.ReplicationStatus ?? []).flatMap(({ Region, KmsKeyId = '' }) =>
    Region === undefined ? [] : [[Region, KmsKeyId] as const],
  );
  return {
    arn: answer.ARN,
    currentVersion: currentVersionIn(answer.VersionIdsToStages),
    tags: tagsIn(answer.Tags),
    deleted: answer.DeletedDate !== undefined,
    kmsKeyId: answer.KmsKeyId,
    replicaRegions: replicas.map(([region]) => region),
    replicaKeys: Object.fromEntries(replicas),
  };
}

/** Labels by version. Null when no version has a value that readers get. */
export const currentVersionIn = (stagesOf: Readonly<Record<string, readonly string[]>> = {}): string | null =>
  Object.entries(stagesOf).find(([, stages]) => stages.includes('AWSCURRENT'))?.[0] ?? null;

export const tagsIn = (tags: readonly Tag[] = []): Readonly<Record<string, string>> =>
  Object.fromEntries(tags.flatMap(({ Key, Value = '' }) => (Key === undefined ? [] : [[Key, Value] as const])));

/**
 * Whether a put may write to an existing secret. A secret that we wrote must still be ours. With mode `create` a secret may also be
 * taken over from another association: one that was released before its deletion, or that we made and that is scheduled for
 * deletion.
 */
export function mayWrite(found: RemoteSecret, item: PutItem): boolean {
  if (item.mode === 'adopt' || found.tags[markTag] === item.mark) return true;
  const owner = found.tags[ownerTag];
  if (owner === ownerRemoved || (found.deleted && owner !== undefined)) return true;
  return item.mode === 'update' && isKnown(found, item);
}

/**
 * Whether a secret is still the one that we wrote: by its mark or, where its tags were removed, by what our record knows about it.
 * A released secret that is live again without a new mark was restored by one of our puts that then failed.
 */
export const isOurs = (found: RemoteSecret, item: RemoveItem): boolean =>
  found.tags[markTag] === item.mark || found.tags[ownerTag] === ownerRemoved || isKnown(found, item);

/** True for a secret without any mark that is the one in our record, or has the version that our last put made. */
function isKnown(found: RemoteSecret, { remoteVersion }: Pick<RemoveItem, 'remoteVersion'>): boolean {
  if ((found.tags[markTag] ?? '') !== '') return false;
  const { version, arn } = knownOf(remoteVersion);
  return arn === undefined ? version !== null && found.currentVersion === version : found.arn === arn;
}
