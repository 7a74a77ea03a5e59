import { rootNamespace } from '#core/namespace.ts';
import type { Store } from '#store/store.ts';
import { type PublishedKeys, publishedVersions } from '../keys/published.ts';
import { workloadKeyName } from '../keys/read.ts';
import { createWorkloadKey } from '../keys/write.ts';
import { signed, signingVersion } from '../tokens/sign.ts';

/** Signs tokens about the runs of workspaces, with a key that rotates as all keys of identity tokens do. */
export interface WorkloadTokens {
  /** A signed token with these claims. */
  sign(claims: object): Promise<string>;
  /** The public keys that verify the tokens. Empty before the first token. */
  published(): Promise<PublishedKeys>;
}

const at = { namespaceId: rootNamespace.id, name: workloadKeyName };

export const openWorkloadTokens = (store: Store): WorkloadTokens => ({
  async sign(claims) {
    const version = (await signingVersion(store, at.namespaceId, at.name)) ?? (await firstVersion(store));
    return signed({ store }, version, claims);
  },
  published: () => publishedVersions(store, at),
});

async function firstVersion(store: Store) {
  await createWorkloadKey(store, at);
  const version = await signingVersion(store, at.namespaceId, at.name);
  if (version === undefined) throw new Error('the key of workload identity has no version');
  return version;
}
