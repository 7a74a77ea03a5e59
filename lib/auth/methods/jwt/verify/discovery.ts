import { z } from 'zod';
import { RemoteFailure } from '../../../login/remote/failure.ts';
import type { Remote } from '../../../login/remote/remote.ts';

/** What a provider says of itself. */
export interface Provider {
  readonly issuer: string;
  readonly jwksUrl: string;
}

const document = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/**
 * Asks a provider where its keys are (OpenID Connect Discovery 1.0). Only the provider of the address itself is believed.
 *
 * @throws RemoteFailure
 */
export async function discover(remote: Remote, address: string, caCertificates: string): Promise<Provider> {
  const base = address.replace(/\/+$/, '');
  const { status, json } = await remote.ask({
    url: new URL(`${base}/.well-known/openid-configuration`),
    caCertificates,
  });
  if (status !== 200) throw new RemoteFailure(`it answered status ${status}`);
  const read = document.safeParse(json);
  if (!read.success) throw new RemoteFailure('its answer is no discovery document');
  const { issuer, jwks_uri: jwksUrl } = read.data;
  if (issuer.replace(/\/+$/, '') !== base) throw new RemoteFailure('its discovery document is of another issuer');
  if (base.startsWith('https:') && !jwksUrl.startsWith('https:'))
    throw new RemoteFailure('its keys are at an address without encryption');
  return { issuer, jwksUrl };
}
