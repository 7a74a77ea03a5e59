/** A part of the room, with the listing that it begins with. */
interface AccessPart {
  readonly id: string;
  readonly word: string;
  readonly needs: string;
  readonly capability: string;
}

export const accessParts: readonly AccessPart[] = [
  { id: 'policies', word: 'Policies', needs: 'sys/policies/acl/', capability: 'list' },
  { id: 'passwords', word: 'Password policies', needs: 'sys/policies/password/', capability: 'list' },
  { id: 'tokens', word: 'Tokens', needs: 'auth/token/accessors/', capability: 'list' },
  { id: 'roles', word: 'Token roles', needs: 'auth/token/roles/', capability: 'list' },
  { id: 'entities', word: 'Entities', needs: 'identity/entity/id/', capability: 'list' },
  { id: 'groups', word: 'Groups', needs: 'identity/group/id/', capability: 'list' },
  { id: 'aliases', word: 'Aliases', needs: 'identity/entity-alias/id/', capability: 'list' },
  { id: 'methods', word: 'Auth methods', needs: 'sys/auth', capability: 'read' },
  { id: 'mfa', word: 'MFA methods', needs: 'identity/mfa/method/totp/', capability: 'list' },
  { id: 'enforcements', word: 'MFA enforcements', needs: 'identity/mfa/login-enforcement/', capability: 'list' },
];

/** Names are in the query, because they may contain slashes. */
export function accessUrl(part: string, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return `/ui/access/${part}${search.size === 0 ? '' : `?${search}`}`;
}

/** A path of the API with its segments encoded. Slashes stay. */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
