import type { Transaction } from 'kysely';
import type { Namespace } from '#core/namespace.ts';
import type { Mount, MountTable, NewMount, RequestMounts } from '#path/contract/mount.ts';
import type { EnqueueDirty } from '#store/outbox.ts';
import type { Database } from '#store/tables.ts';
import type { NamespaceTable } from './namespaces.ts';

/** A type that can be mounted, as the mount table knows it. Several entries of one type are its versions, the lowest first. */
export interface MountType {
  /** Clients mount it by this name. */
  readonly type: string;
  /** The mount option `version`; absent: the type has no versions. */
  readonly version?: string;
  /** Other names by which clients mount this version. */
  readonly names?: readonly string[];
  /** Absent when its mounts hold no data that must be removed before the mount itself. */
  readonly removeSecrets?: RemoveSecrets;
}

/** Removes at most `limit` secrets of a mount in the caller's transaction and returns their names. */
export type RemoveSecrets = (tx: Transaction<Database>, mountId: string, limit: number) => Promise<readonly string[]>;

/** What may be changed of a mount. */
export type MountTuning = Pick<Mount, 'description' | 'options' | 'config'>;

/**
 * The mounts of one namespace as the rows of `sys/` read and change them, all paths relative to it. Every change is seen by the
 * next `resolve` of this process.
 */
export interface Mounts extends MountTable {
  /** The mounts of another namespace. */
  in(namespace: Namespace): Mounts;
  /** All mounts ordered by path, including the built-in ones. */
  list(): Promise<readonly Mount[]>;
  /** The mount at exactly this path. */
  find(path: string): Promise<Mount | undefined>;
  /** @throws AppError `bad-request` when the path is in use, or lies above or below another mount */
  enable(mount: NewMount): Promise<void>;
  /**
   * Takes a mount out of the table and removes its data in bounded steps; each step marks the associations of its secrets dirty.
   * The sweep removes what is left when the call ends. Does nothing for an unknown path. Returns warnings.
   */
  disable(path: string, changed: EnqueueDirty, signal: AbortSignal): Promise<readonly string[]>;
  /** Disabled mounts whose data is still being removed. */
  removals(): Promise<readonly RemovalInProgress[]>;
  /** `tune` computes the new settings while the row is locked; it may throw. Returns false when there is no such mount. */
  tune(path: string, tune: (mount: Mount) => MountTuning): Promise<boolean>;
  /** Moves a mount with its data. @throws AppError `bad-request` as `enable`, and when there is nothing to move */
  move(from: string, to: string, changed: EnqueueDirty): Promise<EndedMove>;
  /** Finds a move by its id, whichever process made it; undefined when it is unknown or has been forgotten. */
  findMove(id: string): Promise<{ readonly from: string; readonly to: string } | undefined>;
}

export interface RemovalInProgress {
  readonly accessor: string;
  readonly uuid: string;
  /** The path at which it was mounted. */
  readonly path: string;
  readonly type: string;
  readonly removed_at: Date;
}

export interface EndedMove {
  /** A UUID. */
  readonly id: string;
  readonly warnings: readonly string[];
}

/** The mount table of the root namespace, read from a copy in memory. */
export interface CopiedMounts extends Mounts, NamespaceTable, RequestMounts {
  /** Reports a revision read from the store; a copy older than this is no longer used. */
  seenRevision(revision: number): void;
  /** Awaits a change of the namespaces and invalidates the copy. */
  changing<T>(change: Promise<T>): Promise<T>;
}
