import type { PutItem, RemoveItem } from '../contract.ts';
import type { RemoteSecret } from './look.ts';
import { markTag, ownerRemoved, ownerTag } from './tags.ts';

/**
 * Whether a put may write to a secret that is there. With claim `create`: it carries our mark, or one of us has given it
 * up: it was released before it was deleted, or it waits for its deletion and was made by us in an earlier life.
 */
export function mayWrite(found: RemoteSecret, { claim, mark }: PutItem): boolean {
  if (claim !== 'create' || found.tags[markTag] === mark) return true;
  const owner = found.tags[ownerTag];
  return owner === ownerRemoved || (found.deleted && owner !== undefined);
}

/**
 * Whether a secret is still the one that we wrote: by its mark or, where somebody took the tags off, by its version. One that
 * was released and is back without a new mark was restored by a put of ours that came no further.
 */
export function isOurs(found: RemoteSecret, { mark, remoteVersion }: RemoveItem): boolean {
  if (found.tags[markTag] === mark || found.tags[ownerTag] === ownerRemoved) return true;
  return remoteVersion !== null && found.currentVersion === remoteVersion;
}
