import { suffixOf } from '#core/namespace.ts';

/** The id of a lease, which is a token that expires: its path, its keyed hash, and its namespace unless that is the root. */
export const leaseIdOf = (path: string, hash: Buffer, namespaceId: string): string =>
  `${path}/${leaseName(hash, namespaceId)}`;

export const leaseName = (hash: Buffer, namespaceId: string): string =>
  `h${hash.toString('hex')}${suffixOf(namespaceId)}`;

/** Undefined when the text is not the id of a lease. */
export function parseLeaseId(id: string): { readonly path: string; readonly hash: Buffer } | undefined {
  const [, path, hex] = /^(.+)\/h([0-9a-f]{64})(?:\.\w+)?$/.exec(id) ?? [];
  return path === undefined || hex === undefined ? undefined : { path, hash: Buffer.from(hex, 'hex') };
}
