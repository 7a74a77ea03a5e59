import type { Transaction } from 'kysely';
import type { Namespace } from '#core/namespace.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';

/** What the rows of `identity/` need. */
export interface IdentityParts {
  readonly store: Store;
  /** The mounts of a namespace, by accessor. */
  readonly mountsOf: (namespace: Namespace) => Promise<Mounts>;
  readonly secondFactors: SecondFactors;
}

/** The MFA secrets of entities that are merged. */
export interface SecondFactors {
  /** One text for each secret that a merge would lose. */
  conflicts(tx: Transaction<Database>, from: readonly string[], to: string): Promise<readonly string[]>;
  /** Moves the secrets of the sources; the target keeps its own where both have one. */
  move(tx: Transaction<Database>, from: readonly string[], to: string): Promise<void>;
}

export type Mounts = ReadonlyMap<string, Mount>;

/** Metadata of an entity, an alias or a group. */
export type Metadata = Readonly<Record<string, string>>;
