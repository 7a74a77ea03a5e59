import type { Namespace, NamespaceDirectory } from '#core/namespace.ts';
import type { LocatedNamespace } from '#path/contract/mount.ts';
import type { EnqueueDirty } from '#store/outbox.ts';

/** A namespace with its metadata and its lock. */
export interface NamespaceState extends LocatedNamespace {
  readonly uuid: string;
  readonly customMetadata: Metadata;
  /** Whether this namespace itself is locked; a lock of one above does not count. */
  readonly locked: boolean;
}

type Metadata = Readonly<Record<string, string>>;

/** The namespaces, read from a copy in memory that the revision of the mount table invalidates. */
export interface NamespaceTable extends NamespaceDirectory {
  /** The namespace that header and path lead to; undefined when the header names no namespace. */
  locate(
    header: string,
    path: string,
  ): Promise<{ readonly namespace: NamespaceState; readonly path: string } | undefined>;
  /** Reads the copy again from the store. */
  refresh(): Promise<void>;
  /** All namespaces except the root. */
  namespaces(): Promise<readonly NamespaceState[]>;
}

/** Namespaces as the rows of `sys/namespaces` read and change them. All paths are full paths. */
export interface Namespaces {
  /** The direct children of a namespace, ordered by path. */
  below(parent: Namespace): Promise<readonly NamespaceState[]>;
  find(path: string): Promise<NamespaceState | undefined>;
  /**
   * Creates a namespace. One that exists already gets the metadata, if any is given.
   *
   * @throws AppError `bad-request` when its parent does not exist, a mount is in the way, or there are too many namespaces
   */
  create(path: string, metadata: Metadata | undefined): Promise<NamespaceState>;
  /** `change` runs while the row is locked and may throw. Returns undefined when there is no such namespace. */
  patch(path: string, change: (metadata: Metadata) => Metadata): Promise<NamespaceState | undefined>;
  /**
   * Removes a namespace and its contents in bounded steps. Requests to it fail from the first step on. After an interruption the
   * next call or the sweep continues. `in-progress`: copies at destinations must be removed first.
   *
   * @throws AppError `bad-request` when there are namespaces below it
   */
  remove(path: string, changed: EnqueueDirty, signal: AbortSignal): Promise<'gone' | 'in-progress'>;
  /** Returns the key that unlocks it. @throws AppError `bad-request` when it does not exist or is locked already */
  lock(path: string): Promise<string>;
  /** `key`: undefined when the caller needs none. @throws AppError `bad-request` unless it exists, is locked, and the key is right */
  unlock(path: string, key: string | undefined): Promise<void>;
}
