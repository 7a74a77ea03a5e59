import { challengeOf } from './pending/login.ts';

interface Asked {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly scopes: readonly string[];
  /** A code, otherwise an ID token. */
  readonly code: boolean;
  readonly formPost: boolean;
  /** Maximum age of the login at the provider in seconds; 0 for any. */
  readonly maxAge: number;
}

/** Where a user logs in (OpenID Connect Core 1.0, section 3.1.2.1), with its parameters in alphabetical order. */
export function authorizationUrl(endpoint: string, asked: Asked): string {
  const url = new URL(endpoint);
  const parameters = {
    client_id: asked.clientId,
    ...(asked.code ? { code_challenge: challengeOf(asked.verifier), code_challenge_method: 'S256' } : {}),
    ...(asked.maxAge > 0 ? { max_age: String(asked.maxAge) } : {}),
    nonce: asked.nonce,
    redirect_uri: asked.redirectUri,
    ...(asked.formPost ? { response_mode: 'form_post' } : {}),
    response_type: asked.code ? 'code' : 'id_token',
    scope: scopeOf(asked.scopes),
    state: asked.state,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The scopes of a request; `openid` is always one of them. */
export const scopeOf = (scopes: readonly string[]): string => [...new Set(['openid', ...scopes])].join(' ');
