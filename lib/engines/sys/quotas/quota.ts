import type { Namespace } from '../../../core/namespace.ts';

/** Where a request goes, or a token comes from. */
export interface Origin {
  readonly namespace: Namespace;
  /** Below the namespace. */
  readonly path: string;
  /** Of the login; absent: it is none, or by no role. */
  readonly role?: string | undefined;
}

/** Which requests a quota is for. */
export interface QuotaScope {
  /** Full path, the namespace first. Empty: all. Ends in a slash: a mount or what is below; in `*`: what begins so; else one path. */
  readonly path: string;
  /** Logins by this role, of an auth mount; capitals do not count. Empty: all. */
  readonly role: string;
  /** It is for the namespaces below its own as well. */
  readonly inheritable: boolean;
  /** Its own, which its path begins with; absent: the root, since there were no namespaces when it was made. */
  readonly namespace_path?: string | undefined;
}

/** At most `rate` requests of a client in `interval` seconds, in each process. */
export interface RateLimit extends QuotaScope {
  readonly rate: number;
  readonly interval: number;
  /** For so many seconds a client that asked for more is refused; 0: until the interval is over. */
  readonly block_interval: number;
  /** Whose requests are counted together; absent: it is older than the choice, and goes by address. */
  readonly group_by?: Grouping | undefined;
}

/** `ip`: those of one address; `none`: all. */
export const groupings = ['ip', 'none'] as const;
export type Grouping = (typeof groupings)[number];

/** At most so many tokens that have come from the path and have not ended. */
export interface LeaseCount extends QuotaScope {
  readonly max_leases: number;
}

export type Named<Q> = Q & { readonly name: string };

/** Quotas with those that are for fewer requests first: the first one that matches a request is the only one for it. */
export const bySpecificity = <Q extends QuotaScope>(quotas: readonly Q[]): readonly Q[] =>
  [...quotas].sort((a, b) => rankOf(b) - rankOf(a));

/** A role counts more than any path, one path more than a beginning, and a longer beginning more than a shorter one. */
function rankOf({ path, role }: QuotaScope): number {
  const pattern = path === '' || path.endsWith('/') || path.endsWith('*');
  return (role === '' ? 0 : 2_000_000) + (pattern ? 0 : 1_000_000) + path.length;
}

/** Whether a quota is for a request. */
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
