/** A token that expires is a lease: the path that made it, and its keyed hash. */
export const leaseIdOf = (path: string, hash: Buffer): string => `${path}/${leaseName(hash)}`;

export const leaseName = (hash: Buffer): string => `h${hash.toString('hex')}`;

/** Undefined: it is no id of a token's lease. */
export function parseLeaseId(id: string): { readonly path: string; readonly hash: Buffer } | undefined {
  const [, path, hex] = /^(.+)\/h([0-9a-f]{64})$/.exec(id) ?? [];
  return path === undefined || hex === undefined ? undefined : { path, hash: Buffer.from(hex, 'hex') };
}
