// Beyond the usual files: the service takes the id of a version from us, so that a repeat is known as one.
import { createHash, randomUUID } from 'node:crypto';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { DestinationFailure, type PutItem } from '../contract.ts';
import type { Client } from './client.ts';
import { isGone, ServiceFailure } from './failure.ts';
import type { RemoteSecret } from './look.ts';
import { type Known, knownOf } from './receipt.ts';

/**
 * The id of the version that follows `version`. The service takes it as the request's token: a repeat with the same value
 * is ignored, one with another value is refused, so a repeat after a lost answer adds no version.
 *
 * The value is not in it on purpose. Everybody who may list versions or read the audit trail sees the id, with the mark
 * beside it as a tag: a digest of the value would let them guess it. It would also break A, B, A: the second A would be
 * taken for a repeat of the first, and B would stay.
 */
export function nextVersion(mark: string, version: string | null): string {
  return createHash('sha256')
    .update(`${mark}/${version ?? ''}`)
    .digest('hex')
    .slice(0, 32);
}

/**
 * Ids to try in turn. If the current version is another than the last we know of, it can be that of a put whose answer was
 * lost; whether its value is this one, the service compares. The last id is always free.
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
  throw new DestinationFailure('unavailable', 'others write versions at the same time');
}

/**
 * Makes the value current in a secret that is as our last put left it, in one call. Undefined: it is not, so look at it. The call
 * is on the ARN, which nobody else's secret of this name can have. The id follows from the record alone, so an earlier put of
 * this turn that arrives late meets an id that is taken.
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

/** The version that was made, and of which secret. */
export type Written = Known & { readonly version: string };

/** Undefined: the version is taken, or is not the current one. */
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
    // A repeat of an older version is ignored as well, and does not become current.
    return VersionStages.includes('AWSCURRENT') ? { version, arn } : undefined;
  } catch (error) {
    if (error instanceof ServiceFailure && error.code === 'ResourceExistsException') return undefined;
    throw error;
  }
}
