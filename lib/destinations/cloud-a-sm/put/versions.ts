// Beyond the usual files: the caller chooses the id of a version, by which the service recognises a repeat.
import { createHash, randomUUID } from 'node:crypto';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { DestinationFailure, type PutItem } from '../../contract.ts';
import type { Client } from '../client.ts';
import { isGone, ServiceFailure } from '../failure/failure.ts';
import type { RemoteSecret } from '../look/look.ts';
import { type Known, knownOf } from '../look/receipt.ts';

/**
 * The id of the version that follows `version`. The service uses it as the request's token: a repeat with the same value
 * changes nothing and one with another value is refused, so a repeat after a lost answer adds no version.
 *
 * The id deliberately does not depend on the value. All readers of the version list or the audit trail see the id, and the mark
 * as a tag, so a digest of the value would let them guess it. It would also break the sequence A, B, A: the second A would count
 * as a repeat of the first, and B would stay.
 */
export function nextVersion(mark: string, version: string | null): string {
  return createHash('sha256')
    .update(`${mark}/${version ?? ''}`)
    .digest('hex')
    .slice(0, 32);
}

/**
 * Ids to try in turn. A current version other than the last one we know may come from a put whose answer was lost; the service
 * then compares the values. The last id is always free.
 */
export function versionCandidates(
  found: RemoteSecret | 'unknown',
  { mark, remoteVersion }: PutItem,
): readonly string[] {
  const { version } = knownOf(remoteVersion);
  const current = found === 'unknown' ? version : found.currentVersion;
  const doubtful = current !== null && current !== version ? [current] : [];
  return [...doubtful, nextVersion(mark, current), randomUUID()];
}

/**
 * Makes the value current. Resolves to its version.
 * @param secret name or ARN
 */
export async function writeValue(
  client: Client,
  secret: string,
  found: RemoteSecret | 'unknown',
  item: PutItem,
  signal: AbortSignal,
): Promise<Written> {
  for (const version of versionCandidates(found, item)) {
    const written = await tryVersion(client, secret, item, version, signal);
    if (written !== undefined) return written;
  }
  throw new DestinationFailure('unavailable', 'other clients are writing versions at the same time');
}

/**
 * Makes the value current, in one call, in a secret that is as our last put left it. Returns undefined when it is not, so that the
 * caller looks at it. The call uses the ARN, which no other secret of this name can have. The id follows from the record alone,
 * so a late arrival of an earlier attempt finds its id taken.
 */
export async function writeNext(client: Client, item: PutItem, signal: AbortSignal): Promise<Written | undefined> {
  const { version: last, arn } = knownOf(item.remoteVersion);
  if (last === null || arn === undefined) return undefined;
  try {
    return await tryVersion(client, arn, item, nextVersion(item.mark, last), signal);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** The version that was made, and its secret. */
export type Written = Known & { readonly version: string };

/** Resolves to undefined when the version is taken or is not the current one. */
async function tryVersion(
  client: Client,
  secret: string,
  { value }: PutItem,
  version: string,
  signal: AbortSignal,
): Promise<Written | undefined> {
  const command = new PutSecretValueCommand({
    SecretId: secret,
    SecretString: value.reveal(),
    ClientRequestToken: version,
  });
  try {
    const { ARN: arn, VersionStages = [] } = await client.call(signal, (sdk, options) => sdk.send(command, options));
    // A repeat of an older version also succeeds, without becoming current.
    return VersionStages.includes('AWSCURRENT') ? { version, arn } : undefined;
  } catch (error) {
    if (error instanceof ServiceFailure && error.code === 'ResourceExistsException') return undefined;
    throw error;
  }
}
