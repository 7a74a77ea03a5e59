// Beyond the usual files: the service takes the id of a version from us, so that a repeat is known as one.
import { createHash, randomUUID } from 'node:crypto';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { DestinationFailure, type PutItem } from '../contract.ts';
import type { Client } from './client.ts';
import { isGone, ServiceFailure } from './failure.ts';
import type { RemoteSecret } from './look.ts';

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
  const current = found === 'unknown' ? remoteVersion : found.currentVersion;
  const doubtful = current !== null && current !== remoteVersion ? [current] : [];
  return [...doubtful, nextVersion(mark, current), randomUUID()];
}

/** Makes the value current. Resolves to its version. */
export async function writeValue(
  client: Client,
  found: RemoteSecret | 'unknown',
  item: PutItem,
  signal: AbortSignal,
): Promise<string> {
  for (const version of versionCandidates(found, item)) {
    if (await tryVersion(client, item, version, signal)) return version;
  }
  throw new DestinationFailure('unavailable', 'others write versions at the same time');
}

/**
 * Makes the value current in a secret that is as our last put left it, in one call. Undefined: it is not, so look at it. The id
 * follows from the record alone, so an earlier put of this turn that arrives late meets an id that is taken.
 */
export async function writeNext(client: Client, item: PutItem, signal: AbortSignal): Promise<string | undefined> {
  if (item.remoteVersion === null) return undefined;
  const version = nextVersion(item.mark, item.remoteVersion);
  try {
    return (await tryVersion(client, item, version, signal)) ? version : undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

async function tryVersion(
  client: Client,
  { name, value }: PutItem,
  version: string,
  signal: AbortSignal,
): Promise<boolean> {
  const command = new PutSecretValueCommand({
    SecretId: name,
    SecretString: value.reveal(),
    ClientRequestToken: version,
  });
  try {
    const { VersionStages = [] } = await client.call(signal, (sdk, options) => sdk.send(command, options));
    // A repeat of an older version is ignored as well, and does not become current.
    return VersionStages.includes('AWSCURRENT');
  } catch (error) {
    if (error instanceof ServiceFailure && error.code === 'ResourceExistsException') return false;
    throw error;
  }
}
