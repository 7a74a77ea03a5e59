import type { Namespace } from '../../core/namespace.ts';
import type { Mount } from '../../path/contract/mount.ts';
import type { Store } from '../../store/store.ts';

/** What the rows of `identity/` are made with. */
export interface IdentityParts {
  readonly store: Store;
  /** The mounts of a namespace, by accessor. */
  readonly mountsOf: (namespace: Namespace) => Promise<ReadonlyMap<string, Mount>>;
}

export type Mounts = ReadonlyMap<string, Mount>;

/** Names and values of an entity, an alias or a group. */
export type Metadata = Readonly<Record<string, string>>;
