import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type ClientMetadata } from 'oidc-provider';
import { type HttpsServer, startHttps } from './https-server.ts';

/** A real OpenID provider, whose users log in with any password. */
export interface OpenIdProvider extends HttpsServer {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The paths that were requested. */
  readonly calls: string[];
  /** While set, may answer a request instead; true when it did. */
  fault: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

const clientId = 'keyferry';
const clientSecret = 'marker-of-the-client-secret';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Users of the group `staff`. Their e-mail address and groups are claims of the user info endpoint only.
 *
 * @param more of the client; the port of a loopback redirect URI does not matter to a native one
 */
export async function startOpenIdProvider(
  redirectUris: readonly string[],
  more: Pick<ClientMetadata, 'application_type'> = {},
): Promise<OpenIdProvider> {
  const state = { clientId, clientSecret, calls: [] as string[], fault: undefined as OpenIdProvider['fault'] };
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = await startHttps((request, response) => {
    state.calls.push(new URL(request.url ?? '', 'https://provider.test').pathname);
    if (state.fault?.(request, response) !== true) void answer(request, response);
  });
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const client: ClientMetadata = {
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [...redirectUris],
    grant_types: ['authorization_code', deviceGrant],
    response_types: ['code'],
    ...more,
  };
  const provider = new Provider(server.address, {
    clients: [client],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'one' }] },
    cookies: { keys: ['a key of the tests'] },
    // Without these, the provider prints a notice for each kind.
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    features: { deviceFlow: { enabled: true }, devInteractions: { enabled: true } },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, groups: ['staff'] }),
    }),
  });
  answer = provider.callback();
  return Object.assign(state, server);
}
