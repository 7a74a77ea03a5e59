import type { RemoveItem } from '../contract.ts';
import type { Found } from './look.ts';

/**
 * Whether a secret is still the one that we wrote: by its mark or, where somebody took the tags off, by its version. One that
 * was released and is back without a new mark was recovered by a put of ours that came no further.
 */
export function isOurs(found: Found, { mark, remoteVersion }: RemoveItem): boolean {
  if (found.mark === mark || found.released) return true;
  return remoteVersion !== null && found.remoteVersion === remoteVersion;
}
