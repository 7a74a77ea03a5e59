import type { Namespace } from '../../core/namespace.ts';

/** An entry of the mount table. `path` has a trailing slash and no leading one; `sys/` and `auth/token/` are entries too. */
export interface Mount {
  readonly id: string;
  readonly path: string;
  /** `kv`, `system`, `token`, `cubbyhole`, ... */
  readonly type: string;
  readonly accessor: string;
  readonly uuid: string;
  readonly description: string;
  readonly options: Readonly<Record<string, string>> | null;
  readonly config: MountConfig;
  readonly local: boolean;
  readonly sealWrap: boolean;
}

export interface MountConfig {
  readonly default_lease_ttl: number;
  readonly max_lease_ttl: number;
  readonly force_no_cache: boolean;
  readonly listing_visibility?: string;
  readonly [key: string]: unknown;
}

/** Resolves a path to the longest mount that holds it. */
export interface MountTable {
  /** `path` is relative to the namespace; absent: the root. The path of a mount without its last slash is the mount. */
  resolve(path: string, namespace?: Namespace): Promise<Mount | undefined>;
  /** While it is the same object, a path leads where it has led. Absent or undefined: nobody knows. */
  state?(): object | undefined;
}

/** The mount table of requests. */
export interface RequestMounts extends MountTable {
  /** Asks the store what resolving a path asks it that no mount holds, so that a refusal takes as long for one that is held. */
  askStore(): Promise<void>;
}

/** A namespace that a request leads to. */
export interface LocatedNamespace extends Namespace {
  /** The path of the namespace whose lock keeps requests out: itself, or one above. */
  readonly lockedBy: string | undefined;
  /** It is being deleted. */
  readonly isEnding: boolean;
}

/** Finds the namespace of a request. */
export interface NamespaceFinder {
  /**
   * The longest path of a namespace that header and path together begin with, and what is left. Undefined: the header, a full
   * path with a trailing slash or empty, names no namespace.
   */
  locate(
    header: string,
    path: string,
  ): Promise<{ readonly namespace: LocatedNamespace; readonly path: string } | undefined>;
  /** Reads again what this process knows: of a request without a token nobody has asked the store anything. */
  refresh(): Promise<void>;
}
