import type { Operation } from '../operation.ts';

/** Logins and tokens. */
export const auth = {
  loginUserpass: { method: 'POST', path: 'auth/{mount}/login/{username}', fields: ['password'] },
  loginApprole: { method: 'POST', path: 'auth/{mount}/login', fields: ['role_id', 'secret_id'] },
  loginJwt: { method: 'POST', path: 'auth/{mount}/login', fields: ['role', 'jwt'] },
  beginOidc: { method: 'POST', path: 'auth/{mount}/oidc/auth_url', fields: ['role', 'redirect_uri', 'client_nonce'] },
  completeOidc: {
    method: 'GET',
    path: 'auth/{mount}/oidc/callback',
    fields: ['state', 'code', 'client_nonce', 'error', 'iss'],
  },
  postOidc: { method: 'POST', path: 'auth/{mount}/oidc/callback', fields: ['state', 'code', 'id_token'] },
  pollOidc: { method: 'POST', path: 'auth/{mount}/oidc/poll', fields: ['state', 'client_nonce'] },
  lookupSelf: { method: 'GET', path: 'auth/token/lookup-self' },
  revokeSelf: { method: 'POST', path: 'auth/token/revoke-self' },
  renewSelf: { method: 'POST', path: 'auth/token/renew-self', fields: ['increment'] },
  createToken: {
    method: 'POST',
    path: 'auth/token/create',
    fields: ['policies', 'ttl', 'explicit_max_ttl', 'period', 'display_name', 'num_uses', 'no_parent', 'renewable'],
  },
  listAccessors: { method: 'LIST', path: 'auth/token/accessors', fields: ['after', 'limit'] },
  lookupAccessor: { method: 'POST', path: 'auth/token/lookup-accessor', fields: ['accessor'] },
  renewAccessor: { method: 'POST', path: 'auth/token/renew-accessor', fields: ['accessor', 'increment'] },
  revokeAccessor: { method: 'POST', path: 'auth/token/revoke-accessor', fields: ['accessor', 'plan'] },
} as const satisfies Record<string, Operation>;
