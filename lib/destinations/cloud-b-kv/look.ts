import type { SecretProperties } from '@azure/keyvault-secrets';
import { DestinationFailure, type Inspection, type PutItem, type RemoveItem } from '../contract.ts';
import { foreignObject } from '../frame/rules/foreign.ts';
import type { Client } from './client.ts';
import { statusOf } from './failure.ts';
import { managedRemoved, managedTag, markTag } from './tags.ts';

export interface Found extends Inspection {
  /** We have given it up: whoever of us gets its name may take it. */
  readonly released: boolean;
}

/** Pages of versions that are read where the secret itself may not be, and versions on one (the service's most). */
const pagesMax = 4;
const pageSize = 25;

/**
 * The newest version of a secret. The list of versions shows it without the value; where one page of it cannot (more than 25
 * versions, or two of the same second, the unit of the service's times), the secret is read and its value dropped unseen.
 * `undefined`: it is not there, or deleted. `'unknown'`: neither `list` nor `get` is permitted.
 */
export async function look(client: Client, name: string, signal: AbortSignal): Promise<Found | undefined | 'unknown'> {
  const listed = await listVersions(client, name, 1, signal).catch(absentOrDenied);
  if (listed === undefined) return undefined;
  const newest = listed === 'denied' ? undefined : soleNewest(listed);
  if (newest !== undefined) return foundOf(newest);
  if (listed !== 'denied' && listed.complete && listed.versions.length === 0) return undefined;
  const read = await readNewest(client, name, signal).catch(absentOrDenied);
  if (read !== 'denied') return read === undefined ? undefined : foundOf(read);
  return listed === 'denied' ? 'unknown' : newestOfMany(client, name, signal);
}

async function newestOfMany(client: Client, name: string, signal: AbortSignal): Promise<Found | undefined | 'unknown'> {
  const listed = await listVersions(client, name, pagesMax, signal).catch(absentOrDenied);
  if (listed === undefined) return undefined;
  const newest = listed === 'denied' ? undefined : soleNewest(listed);
  return newest === undefined ? 'unknown' : foundOf(newest);
}

interface Listed {
  readonly versions: readonly SecretProperties[];
  readonly complete: boolean;
}

// The service sorts versions by their random ids, so the newest can be on any page.
function listVersions(client: Client, name: string, pagesMost: number, signal: AbortSignal): Promise<Listed> {
  return client.read(signal, async (secrets) => {
    const versions: SecretProperties[] = [];
    let pages = 0;
    const listing = secrets.listPropertiesOfSecretVersions(name, { abortSignal: signal });
    for await (const page of listing.byPage({ maxPageSize: pageSize })) {
      versions.push(...page);
      pages += 1;
      if (pages === pagesMost) return { versions, complete: page.length < pageSize };
    }
    return { versions, complete: true };
  });
}

function readNewest(client: Client, name: string, signal: AbortSignal): Promise<SecretProperties> {
  return client.read(signal, async (secrets) => {
    const { properties } = await secrets.getSecret(name, { abortSignal: signal });
    return properties;
  });
}

function soleNewest({ versions, complete }: Listed): SecretProperties | undefined {
  if (!complete) return undefined;
  const time = (version: SecretProperties) => version.createdOn?.getTime() ?? 0;
  const latest = Math.max(...versions.map(time));
  const newest = versions.filter((version) => time(version) === latest);
  return newest.length === 1 ? newest[0] : undefined;
}

/** Of a secret that is there, or of a deleted one. */
export function foundOf({ version, tags }: SecretProperties): Found {
  const released = tags?.[managedTag] === managedRemoved;
  return { remoteVersion: version ?? null, mark: tags?.[markTag] ?? null, tags: tags ?? {}, released };
}

function absentOrDenied(error: unknown): undefined | 'denied' {
  if (statusOf(error) === 404) return undefined;
  if (statusOf(error) === 403) return 'denied';
  throw error;
}

/**
 * A put may only take what is free, is ours, or was given up by one of us. Without permission to look, what we wrote is ours by
 * the record.
 */
export function refuseForeign(found: Found | undefined | 'unknown', item: PutItem): void {
  if (found === undefined) return;
  if (found === 'unknown') {
    if (item.mode === 'update') return;
    const message = 'whether there is a secret of this name cannot be told without the permission list or get';
    throw new DestinationFailure('permission', message);
  }
  if (!isOurs(found, item)) throw foreignObject('a secret of this name in the vault');
}

/**
 * Whether a secret is still the one that we wrote: by its mark or, where somebody took the tags off, by its version. One that
 * was released and is back without a new mark was recovered by one of our puts that came no further.
 */
export function isOurs(found: Found, { mark, remoteVersion }: Pick<RemoveItem, 'mark' | 'remoteVersion'>): boolean {
  if (found.mark === mark || found.released) return true;
  return remoteVersion !== null && found.remoteVersion === remoteVersion;
}
