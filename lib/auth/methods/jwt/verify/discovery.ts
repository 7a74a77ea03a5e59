import { z } from 'zod';
import { RemoteFailure } from '#auth/login/remote/failure.ts';
import type { Remote } from '#auth/login/remote/remote.ts';

/** The discovery document of a provider. */
export interface Provider {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** Where logins by browser go. A provider that only signs tokens has none. */
  readonly endpoints: Endpoints;
  /** The client secret is sent in the body of a call, because the provider does not accept it in a header. */
  readonly secretInBody: boolean;
}

export type Endpoints = { readonly [name in EndpointName]: string | undefined };
type EndpointName = 'authorization' | 'token' | 'userinfo' | 'device';

const url = z.url({ protocol: /^https?$/ });
const endpoint = url.optional().catch(undefined);

const document = z.object({
  issuer: z.string(),
  jwks_uri: url,
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  userinfo_endpoint: endpoint,
  device_authorization_endpoint: endpoint,
  token_endpoint_auth_methods_supported: z.array(z.string()).optional().catch(undefined),
});

/**
 * Reads where the keys and endpoints of a provider are (OpenID Connect Discovery 1.0). The document has to name the same issuer as the
 * URL.
 *
 * @throws RemoteFailure
 */
export async function discover(remote: Remote, address: string, caCertificates: string): Promise<Provider> {
  const base = address.replace(/\/+$/, '');
  const { status, json } = await remote.ask({
    url: new URL(`${base}/.well-known/openid-configuration`),
    caCertificates,
  });
  if (status !== 200) throw new RemoteFailure(`it replied with status ${status}`);
  const read = document.safeParse(json);
  if (!read.success) throw new RemoteFailure('its reply is not a discovery document');
  const { issuer, jwks_uri: jwksUrl } = read.data;
  if (issuer.replace(/\/+$/, '') !== base) throw new RemoteFailure('its discovery document names another issuer');
  const endpoints = endpointsOf(read.data);
  if (base.startsWith('https:')) mustBeEncrypted(jwksUrl, endpoints);
  return { issuer, jwksUrl, endpoints, secretInBody: wantsSecretInBody(read.data) };
}

const endpointsOf = (given: z.infer<typeof document>): Endpoints => ({
  authorization: given.authorization_endpoint,
  token: given.token_endpoint,
  userinfo: given.userinfo_endpoint,
  device: given.device_authorization_endpoint,
});

function mustBeEncrypted(jwksUrl: string, endpoints: Endpoints): void {
  if (!jwksUrl.startsWith('https:')) throw new RemoteFailure('its keys are at a URL without encryption');
  const open = Object.values(endpoints).some((one) => one !== undefined && !one.startsWith('https:'));
  if (open) throw new RemoteFailure('one of its endpoints is at a URL without encryption');
}

/** The header is the default of the standard. */
function wantsSecretInBody({ token_endpoint_auth_methods_supported: methods }: z.infer<typeof document>): boolean {
  return methods?.includes('client_secret_basic') === false && methods.includes('client_secret_post');
}
