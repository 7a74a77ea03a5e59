import type { Namespace } from '#core/namespace.ts';

/** The target of a request, or the origin of a token. */
export interface Origin {
  readonly namespace: Namespace;
  /** Relative to the namespace. */
  readonly path: string;
  /** The role of a login; absent for other requests and for logins without a role. */
  readonly role?: string | undefined;
}

/** The requests to which a quota applies. */
export interface QuotaScope {
  /**
   * Full path, starting with the namespace. An empty path matches all paths, a final slash matches a mount and everything below it,
   * and a final `*` matches a prefix.
   */
  readonly path: string;
  /** Only logins with this role of an auth mount, ignoring case. Empty matches all. */
  readonly role: string;
  /** Whether it also applies to the namespaces below its own. */
  readonly inheritable: boolean;
  /** Its own namespace, the prefix of its path; absent in quotas from before there were namespaces, which belong to the root. */
  readonly namespace_path?: string | undefined;
}

/** At most `rate` requests of a client in `interval` seconds, in each process. */
export interface RateLimit extends QuotaScope {
  readonly rate: number;
  readonly interval: number;
  /** How many seconds a client that exceeded the rate is refused; 0: until the interval ends. */
  readonly block_interval: number;
  /** Which requests are counted together; absent in older quotas, which count by address. */
  readonly group_by?: Grouping | undefined;
}

/** `ip` counts the requests of one address together; `none` counts all requests together. */
export const groupings = ['ip', 'none'] as const;
export type Grouping = (typeof groupings)[number];

/** Limits the number of unexpired tokens created at the path. */
export interface LeaseCount extends QuotaScope {
  readonly max_leases: number;
}

export type Named<Q> = Q & { readonly name: string };

/** Sorts quotas, most specific first: only the first match applies to a request. */
export const bySpecificity = <Q extends QuotaScope>(quotas: readonly Q[]): readonly Q[] =>
  [...quotas].sort((a, b) => rankOf(b) - rankOf(a));

/** A role outranks any path, an exact path outranks a prefix, and a longer prefix outranks a shorter one. */
function rankOf({ path, role }: QuotaScope): number {
  const pattern = path === '' || path.endsWith('/') || path.endsWith('*');
  return (role === '' ? 0 : 2_000_000) + (pattern ? 0 : 1_000_000) + path.length;
}

/** Whether a quota applies to a request. */
export function isFor(quota: QuotaScope, { namespace, path: below, role }: Origin): boolean {
  const { path: own, role: ownRole, inheritable, namespace_path: ownNamespace = '' } = quota;
  if (ownRole !== '' && ownRole.toLowerCase() !== role) return false;
  const isOf = inheritable ? namespace.path.startsWith(ownNamespace) : namespace.path === ownNamespace;
  if (!isOf) return false;
  const path = namespace.path + below;
  if (own === '' || path === own) return true;
  if (own.endsWith('*')) return path.startsWith(own.slice(0, -1));
  return own.endsWith('/') && path.startsWith(own);
}
