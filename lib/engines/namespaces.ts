import type { Namespace, NamespaceDirectory } from '../core/namespace.ts';
import type { LocatedNamespace } from '../path/contract/mount.ts';
import type { Changed } from '../store/outbox.ts';

/** A namespace with all that is known of it. */
export interface NamespaceState extends LocatedNamespace {
  readonly uuid: string;
  readonly customMetadata: Metadata;
  /** Itself, and not one above. */
  readonly locked: boolean;
}

type Metadata = Readonly<Record<string, string>>;

/** The namespaces with their copy in memory, which the revision of the mount table makes old. */
export interface NamespaceTable extends NamespaceDirectory {
  /** What a path leads to; undefined: the header names no namespace. */
  locate(
    header: string,
    path: string,
  ): Promise<{ readonly namespace: NamespaceState; readonly path: string } | undefined>;
  /** Reads the copy again. */
  refresh(): Promise<void>;
  /** All of them but the root. */
  namespaces(): Promise<readonly NamespaceState[]>;
}

/** Namespaces as the rows of `sys/namespaces` read and change them. All paths are full ones. */
export interface Namespaces {
  /** Right below a namespace, by path. */
  below(parent: Namespace): Promise<readonly NamespaceState[]>;
  find(path: string): Promise<NamespaceState | undefined>;
  /**
   * Makes a namespace. One that is there gets the metadata, if some are given.
   *
   * @throws AppError `bad-request` when there is nothing above it, a mount in the way, or too many
   */
  create(path: string, metadata: Metadata | undefined): Promise<NamespaceState>;
  /** Undefined: there is none. `change` decides under a lock, and may throw. */
  patch(path: string, change: (metadata: Metadata) => Metadata): Promise<NamespaceState | undefined>;
  /**
   * Removes a namespace with all that is in it, in bounded steps. Nothing answers in it from the first moment on. Stopped half-way
   * the next call goes on, or the sweep. `in-progress`: copies at destinations have to be removed first.
   *
   * @throws AppError `bad-request` when there are namespaces below it
   */
  remove(path: string, changed: Changed, signal: AbortSignal): Promise<'gone' | 'in-progress'>;
  /** Answers what unlocks it. @throws AppError `bad-request` when there is none, or it is locked already */
  lock(path: string): Promise<string>;
  /** `key` undefined: none is needed. @throws AppError `bad-request` when there is none, it is not locked, or by another key */
  unlock(path: string, key: string | undefined): Promise<void>;
}
