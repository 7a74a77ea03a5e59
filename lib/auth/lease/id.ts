import { suffixOf } from '../../core/namespace.ts';

/** A token that expires is a lease: the path that made it, its keyed hash, and its namespace where that is not the root. */
export const leaseIdOf = (path: string, hash: Buffer, namespaceId: string): string =>
  `${path}/${leaseName(hash, namespaceId)}`;

export const leaseName = (hash: Buffer, namespaceId: string): string =>
  `h${hash.toString('hex')}${suffixOf(namespaceId)}`;

/** Undefined: it is no id of a token's lease. */
export function parseLeaseId(id: string): { readonly path: string; readonly hash: Buffer } | undefined {
  const [, path, hex] = /^(.+)\/h([0-9a-f]{64})(?:\.\w+)?$/.exec(id) ?? [];
  return path === undefined || hex === undefined ? undefined : { path, hash: Buffer.from(hex, 'hex') };
}
