import { randomBytes } from 'node:crypto';
import type { Faults } from '../../frame/fake/faults.ts';
import type { Answer, Question } from '../../frame/fake/rest.ts';

export interface Account {
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The login service of a cloud, with one tenant and one app registration. */
export interface Authority {
  /** Undefined when the path is not one of the login service. */
  answer(question: Question): Answer | undefined;
  /** Undefined when the bearer token is valid. */
  refuse(question: Question): Answer | undefined;
}

const vaultScope = 'https://vault.azure.net/.default';
const tokenSeconds = 3599;

export function newAuthority(account: Account, faults: Faults, count: (operation: string) => void): Authority {
  const tokens = new Map<string, number>();

  function answer(question: Question): Answer | undefined {
    const [tenant = '', ...rest] = question.path;
    const route = rest.join('/');
    if (route === 'v2.0/.well-known/openid-configuration') {
      return tenant === account.tenantId ? discovery(question.origin, tenant) : refusal(400, 'invalid_tenant', 90002);
    }
    if (route !== 'oauth2/v2.0/token') return undefined;
    count('login');
    return tenant === account.tenantId
      ? token(new URLSearchParams(question.body))
      : refusal(400, 'invalid_request', 90002);
  }

  function token(form: URLSearchParams): Answer {
    if (faults.kind() === 'credentials') {
      faults.take({ writes: false });
      return refusal(401, 'invalid_client', 7000215);
    }
    if (form.get('grant_type') !== 'client_credentials') return refusal(400, 'unsupported_grant_type', 70003);
    if (form.get('client_id') !== account.clientId) return refusal(400, 'unauthorized_client', 700016);
    if (form.get('client_secret') !== account.clientSecret) return refusal(401, 'invalid_client', 7000215);
    if (!form.get('scope')?.split(' ').includes(vaultScope)) return refusal(400, 'invalid_scope', 70011);
    const access_token = randomBytes(32).toString('base64url');
    tokens.set(access_token, Date.now() + tokenSeconds * 1000);
    return {
      status: 200,
      body: { token_type: 'Bearer', expires_in: tokenSeconds, ext_expires_in: tokenSeconds, access_token },
    };
  }

  function refuse({ headers, origin }: Question): Answer | undefined {
    const bearer = /^Bearer (.+)$/.exec(String(headers['authorization'] ?? ''))?.[1];
    const ends = bearer === undefined ? undefined : tokens.get(bearer);
    // Wrong credentials make their tokens invalid too; the fault itself is used up by the next login.
    if (ends !== undefined && ends > Date.now() && faults.kind() !== 'credentials') return undefined;
    if (bearer === undefined) count('challenge');
    return challenge(origin, account.tenantId, bearer !== undefined);
  }

  return { answer, refuse };
}

function discovery(origin: string, tenant: string): Answer {
  const body = {
    issuer: `${origin}/${tenant}/v2.0`,
    authorization_endpoint: `${origin}/${tenant}/oauth2/v2.0/authorize`,
    token_endpoint: `${origin}/${tenant}/oauth2/v2.0/token`,
    jwks_uri: `${origin}/${tenant}/discovery/v2.0/keys`,
  };
  return { status: 200, body };
}

function refusal(status: number, error: string, code: number): Answer {
  const error_description = `AADSTS${code}: The stand-in refuses the login. Trace ID: 00000000-0000-0000-0000-000000000000`;
  return { status, body: { error, error_description, error_codes: [code] } };
}

function challenge(origin: string, tenant: string, hadToken: boolean): Answer {
  const because = hadToken ? ', error="invalid_token"' : '';
  const message = hadToken ? 'AKV10000: The token is invalid.' : 'AKV10000: Request is missing a Bearer or PoP token.';
  return {
    status: 401,
    headers: {
      'www-authenticate': `Bearer authorization="${origin}/${tenant}", resource="https://vault.azure.net"${because}`,
    },
    body: { error: { code: 'Unauthorized', message } },
  };
}
