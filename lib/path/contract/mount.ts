import type { Namespace } from '#core/namespace.ts';

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

/** The settings of a new mount. Its path has a trailing slash and no leading one. */
export interface NewMount {
  readonly path: string;
  readonly type: string;
  readonly description?: string;
  readonly options?: Readonly<Record<string, string>> | null;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly local?: boolean;
  readonly sealWrap?: boolean;
}

/** Resolves a path to the longest mount that holds it. */
export interface MountTable {
  /** `path` is relative to the namespace, by default the root. It may omit the trailing slash of the mount. */
  resolve(path: string, namespace?: Namespace): Promise<Mount | undefined>;
}

/** The mount table as requests use it. */
export interface RequestMounts extends MountTable {
  /** As long as this is the same object, every path resolves as before. Undefined when that is unknown. */
  state(): object | undefined;
  /** Queries the store as for a path that no mount holds, so that a refusal takes the same time whether or not a mount holds it. */
  askStore(): Promise<void>;
}

/** The namespace of a request. */
export interface LocatedNamespace extends Namespace {
  /** The path of the locked namespace: this one or one above. */
  readonly lockedBy: string | undefined;
  /** It is being deleted. */
  readonly isEnding: boolean;
}

/** Finds the namespace of a request. */
export interface NamespaceFinder {
  /**
   * The longest namespace path at the start of header and path together, and the rest of the path. Undefined when the header,
   * which is empty or a full path with a trailing slash, names no namespace.
   */
  locate(
    header: string,
    path: string,
  ): Promise<{ readonly namespace: LocatedNamespace; readonly path: string } | undefined>;
  /** Reloads this process's copy. Needed for requests without a token, since the look-up of a token would have checked the copy. */
  refresh(): Promise<void>;
}

/** 32 days, in seconds: the default and maximum lease of the system, which apply to mounts without their own. */
const systemLeaseSeconds = 2_764_800;

export type LeaseTimes = Pick<MountConfig, 'default_lease_ttl' | 'max_lease_ttl'>;

/** The lease times that apply to a mount, in seconds. */
export const effectiveLeases = ({ default_lease_ttl, max_lease_ttl }: LeaseTimes): LeaseTimes => ({
  default_lease_ttl: default_lease_ttl > 0 ? default_lease_ttl : systemLeaseSeconds,
  max_lease_ttl: max_lease_ttl > 0 ? max_lease_ttl : systemLeaseSeconds,
});

/** The lease times of leases without a mount. */
export const systemLeases: LeaseTimes = effectiveLeases({ default_lease_ttl: 0, max_lease_ttl: 0 });
