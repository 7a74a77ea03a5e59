import type { Transaction } from 'kysely';
import type { Namespace } from '../core/namespace.ts';
import type { Engine } from '../path/contract/engine.ts';
import type { Mount, MountTable } from '../path/contract/mount.ts';
import type { Changed, Dirty } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import type { Database } from '../store/tables.ts';

/** What an engine is handed. */
export interface EngineParts {
  readonly store: Store;
  /** Called after the commit with what a change made dirty. */
  readonly changed: Changed;
  /** For the JSON text of a secret. What a request brings is bounded before; what is made of it and a stored one is not. */
  readonly secretBytesMax: number;
}

/**
 * An engine, as the list in `index.ts` has it: everything that others know of it. Engines of one type are its versions; the
 * lowest one stands first in the list, and serves mounts that name no version.
 */
export interface EngineDefinition {
  /** The type of its mounts. Clients mount it by this name. */
  readonly type: string;
  /** The mount option `version` that it serves. Absent: the type has no versions. */
  readonly version?: string;
  /** Other names by which clients mount this version. */
  readonly names?: readonly string[];
  /** Its name for people. */
  readonly title: string;
  /** What of it a new store has mounted, in production or for development. */
  readonly first?: {
    readonly when: 'production' | 'development';
    readonly path: string;
    readonly description: string;
  };
  /** Its rows. Their mark `unauthenticated` says which of its paths need no token, and so no policy. */
  open(parts: EngineParts): Omit<Engine, 'type' | 'matches'>;
  /** Absent: its mounts hold nothing that has to be removed before them. */
  readonly removeSecrets?: RemoveSecrets;
  /** Absent: its secrets do not expire. Ends versions whose time is over, a limited number; answers what became dirty. */
  readonly expire?: (store: Store, limit: number) => Promise<readonly Dirty[]>;
  /** Absent: its secrets cannot be synced. */
  readonly synced?: {
    /** The path below the mount that reads a secret: who may read it may sync it. */
    readPath(secretName: string): string;
    open(parts: EngineParts): SecretSource;
  };
}

/** Removes at most so many secrets of a mount, in the caller's transaction; answers their names. */
export type RemoveSecrets = (tx: Transaction<Database>, mountId: string, limit: number) => Promise<readonly string[]>;

/** What the sync reads of an engine: the secret as it should be at the destinations now. */
export interface SecretSource {
  /** The newest version that is neither deleted nor destroyed; undefined if there is none, or no such secret or mount. */
  current(
    mountId: string,
    secretName: string,
  ): Promise<{ readonly version: number; readonly json: string } | undefined>;
  /**
   * Holds the secret until the end of the transaction: a change of it comes before or after, and then sees what the
   * transaction has made, such as an association. False: there is no such secret.
   */
  hold(tx: Transaction<Database>, mountId: string, secretName: string): Promise<boolean>;
}

/** What a new mount is made of. Its path has a trailing slash and no leading one. */
export interface NewMount {
  readonly path: string;
  readonly type: string;
  readonly description?: string;
  readonly options?: Readonly<Record<string, string>> | null;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly local?: boolean;
  readonly sealWrap?: boolean;
}

/** What may be changed of a mount. */
export type MountTuning = Pick<Mount, 'description' | 'options' | 'config'>;

/**
 * The mounts of one namespace as the rows of `sys/` read and change them, all paths relative to it. Every change is seen by the
 * next `resolve` of this process.
 */
export interface Mounts extends MountTable {
  /** Those of another namespace. */
  in(namespace: Namespace): Mounts;
  /** All mounts, those that are always there among them, by path. */
  list(): Promise<readonly Mount[]>;
  /** The mount at exactly this path. */
  find(path: string): Promise<Mount | undefined>;
  /** @throws AppError `bad-request` when the path is in use, or lies above or below another mount */
  enable(mount: NewMount): Promise<void>;
  /**
   * Takes a mount out of the table and removes its data in bounded steps; associations of its secrets become dirty with each step.
   * What the time of the call does not suffice for is removed by the sweep. Absent: nothing to do. Answers warnings.
   */
  disable(path: string, changed: Changed, signal: AbortSignal): Promise<readonly string[]>;
  /** Disabled mounts whose data is still being removed. */
  removals(): Promise<readonly RemovalInProgress[]>;
  /** `tune` decides under the row's lock what becomes of the mount; it may throw. False: there is no such mount. */
  tune(path: string, tune: (mount: Mount) => MountTuning): Promise<boolean>;
  /** Moves a mount with its data. @throws AppError `bad-request` as `enable`, and when there is nothing to move */
  move(from: string, to: string, changed: Changed): Promise<EndedMove>;
  /** A move by its id, from whatever process; undefined when it is not known, or so old that it was forgotten. */
  findMove(id: string): Promise<{ readonly from: string; readonly to: string } | undefined>;
}

export interface RemovalInProgress {
  readonly accessor: string;
  readonly uuid: string;
  /** Where it was mounted. */
  readonly path: string;
  readonly type: string;
  readonly removed_at: Date;
}

export interface EndedMove {
  /** A UUID. */
  readonly id: string;
  readonly warnings: readonly string[];
}
