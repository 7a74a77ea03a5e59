import type { SecretProperties } from '@azure/keyvault-secrets';
import { DestinationFailure, type Inspection, type PutItem, type RemoveItem } from '../../contract.ts';
import { foreignObject } from '../../frame/rules/found.ts';
import type { Client } from '../client/client.ts';
import { explain, statusOf } from '../failure.ts';
import { managedRemoved, managedTag, markTag } from '../names.ts';

export interface Found extends Inspection {
  /** We have released the secret, so the next association with its name may take it. */
  readonly released: boolean;
}

/** Neither `list` nor `get` is permitted, so it is unknown whether there is a secret. */
export class Denied {
  readonly requestId: string | undefined;

  constructor(requestId: string | undefined) {
    this.requestId = requestId;
  }
}

/** Pages of versions to read when reading the secret itself is not permitted, and versions per page (the service's maximum). */
const pagesMax = 4;
const pageSize = 25;

/**
 * The newest version of a secret, from the list of versions, which shows no value. When the first page does not determine it (more
 * than 25 versions, or two of the same second, the service's unit of time), the secret is read and its value dropped.
 * `undefined` when the secret does not exist or is deleted.
 */
export async function look(client: Client, name: string, signal: AbortSignal): Promise<Found | undefined | Denied> {
  const listed = await listVersions(client, name, 1, signal).catch(absentOrDenied);
  if (listed === undefined) return undefined;
  const newest = listed instanceof Denied ? undefined : soleNewest(listed);
  if (newest !== undefined) return foundOf(newest);
  if (!(listed instanceof Denied) && listed.complete && listed.versions.length === 0) return undefined;
  const read = await readNewest(client, name, signal).catch(absentOrDenied);
  if (!(read instanceof Denied)) return read === undefined ? undefined : foundOf(read);
  return listed instanceof Denied ? read : newestOfMany(client, name, read, signal);
}

async function newestOfMany(
  client: Client,
  name: string,
  read: Denied,
  signal: AbortSignal,
): Promise<Found | undefined | Denied> {
  const listed = await listVersions(client, name, pagesMax, signal).catch(absentOrDenied);
  if (listed === undefined) return undefined;
  if (listed instanceof Denied) return listed;
  const newest = soleNewest(listed);
  return newest === undefined ? read : foundOf(newest);
}

/** `'unknown'` when the versions of a secret may not be listed. */
export const listDenied = (client: Client, name: string, signal: AbortSignal): Promise<'unknown' | undefined> =>
  listVersions(client, name, 1, signal).then(() => undefined, ignoredOrUnknown);

/** `'unknown'` when a secret may not be read. */
export const readDenied = (client: Client, name: string, signal: AbortSignal): Promise<'unknown' | undefined> =>
  readNewest(client, name, signal).then(() => undefined, ignoredOrUnknown);

const ignoredOrUnknown = (error: unknown): 'unknown' | undefined =>
  absentOrDenied(error) instanceof Denied ? 'unknown' : undefined;

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

/** Reads the properties of a live or a deleted secret. */
export function foundOf({ version, tags }: SecretProperties): Found {
  const released = tags?.[managedTag] === managedRemoved;
  return { remoteVersion: version ?? null, mark: tags?.[markTag] ?? null, tags: tags ?? {}, released };
}

function absentOrDenied(error: unknown): undefined | Denied {
  if (statusOf(error) === 404) return undefined;
  if (statusOf(error) === 403) return new Denied(explain(error).requestId);
  throw error;
}

/**
 * Refuses a put to a secret that is neither ours nor released. Without permission to look, a secret that our record names counts as
 * ours.
 */
export function refuseForeign(found: Found | undefined | Denied, item: PutItem): void {
  if (found === undefined) return;
  if (found instanceof Denied) {
    if (item.mode === 'update') return;
    const message = 'cannot check whether a secret of this name exists: grant the permission list or get';
    throw new DestinationFailure('permission', message, { requestId: found.requestId });
  }
  if (!isOurs(found, item)) throw foreignObject('a secret of this name in the vault');
}

/**
 * Whether a secret is still the one that we wrote: by its mark or, where its tags were removed, by its version. A released secret
 * that is live again without a new mark was recovered by one of our puts that then failed.
 */
export function isOurs(found: Found, { mark, remoteVersion }: Pick<RemoveItem, 'mark' | 'remoteVersion'>): boolean {
  if (found.mark === mark || found.released) return true;
  return remoteVersion !== null && found.remoteVersion === remoteVersion;
}
