import type { Kysely, Transaction } from 'kysely';
import type { Engine } from '#path/contract/engine.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Dirty, EnqueueDirty } from '#store/outbox.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';

/** The parts an engine works with. */
export interface EngineParts {
  readonly store: Store;
  /** Called after the commit with the associations that a change marked dirty. */
  readonly changed: EnqueueDirty;
  /** Bound for the JSON text of a secret. Request bodies are bounded earlier; the result of a patch is not. */
  readonly secretBytesMax: number;
}

/** The parts that the rows of an engine work with. */
export interface EngineRowParts extends EngineParts {
  /** The copies of a secret at destinations, as far as the caller may know of them. */
  readonly copiesOf: (mountId: string, secretName: string, context: RequestContext) => Promise<Copies>;
}

/** Copies of a secret. */
export interface Copies {
  readonly copies: readonly object[];
  readonly total: number;
  /** Copies that the caller may not know more of than that they exist. */
  readonly hidden: number;
}

/**
 * An engine as the list in `index.ts` declares it. Several engines of one type are its versions; the lowest comes first in the
 * list and serves mounts that name no version.
 */
export interface EngineDefinition {
  /** The type by which clients mount it. */
  readonly type: string;
  /** The mount option `version` that it serves; absent when the type has no versions. */
  readonly version?: string;
  /** Other names by which clients mount this version. */
  readonly names?: readonly string[];
  /** Its display name. */
  readonly title: string;
  /** The mount of this engine that a new store begins with, in production or for development. */
  readonly first?: {
    readonly when: 'production' | 'development';
    readonly path: string;
    readonly description: string;
  };
  /** Its rows. Those marked `unauthenticated` need no token and no policy. */
  open(parts: EngineRowParts): Omit<Engine, 'type' | 'matches'>;
  /** Absent when its mounts hold no data that must be removed before the mount itself. */
  readonly removeSecrets?: RemoveSecrets;
  /** Expires at most `limit` versions and returns the associations marked dirty; absent when its secrets do not expire. */
  readonly expire?: (store: Store, limit: number) => Promise<readonly Dirty[]>;
  /** Absent when its secrets cannot be synced. */
  readonly synced?: {
    /** The path below the mount that reads a secret. Permission to read it is permission to sync it. */
    readPath(secretName: string): string;
    open(parts: EngineParts): SecretSource;
  };
}

/** Removes at most `limit` secrets of a mount in the caller's transaction and returns their names. */
export type RemoveSecrets = (tx: Transaction<Database>, mountId: string, limit: number) => Promise<readonly string[]>;

/** How the sync reads an engine: the secret as the destinations should hold it now. */
export interface SecretSource {
  /** The current version; undefined when it is deleted or destroyed, and when there is no such secret or mount. */
  current(
    mountId: string,
    secretName: string,
  ): Promise<{ readonly version: number; readonly json: string } | undefined>;
  /** The names of secrets with a current version, in order, of those that start with the prefix and come after `after`. */
  below(mountId: string, prefix: string, after: string, limit: number): Promise<readonly string[]>;
  /**
   * Locks secrets until the transaction ends, so that a concurrent change commits either before it, or after it and then sees
   * the rows it wrote, such as an association. Returns the names of those that exist and may be synced.
   */
  hold(tx: Transaction<Database>, mountId: string, secretNames: readonly string[]): Promise<readonly string[]>;
  /** Those of the secrets that have ever had a version, and what their metadata says. */
  describe(db: Kysely<Database>, mountId: string, secretNames: readonly string[]): Promise<readonly DescribedSecret[]>;
  /** The same for secrets that start with the prefix and come after `after`, in order. */
  describeBelow(mountId: string, prefix: string, after: string, limit: number): Promise<readonly DescribedSecret[]>;
}

/** A secret by its metadata. */
export interface DescribedSecret {
  readonly name: string;
  readonly customMetadata: Readonly<Record<string, string>>;
  /** Its metadata forbids copies. */
  readonly neverSynced: boolean;
}
