import { z } from 'zod';
import { RemoteFailure } from '#auth/login/remote/failure.ts';
import { type CallContext, type CallParts, type Refusal, sendForm } from './calls.ts';

/** What a provider returns for a code. */
export interface ProviderTokens {
  readonly idToken: string;
  /** Reads the claims of the user; empty when there is none. */
  readonly accessToken: string;
}

const tokens = z.object({ id_token: z.string(), access_token: z.string().default('') });

/** Exchanges a code, or what another grant takes, for tokens. @throws RemoteFailure */
export async function exchange(
  parts: CallParts,
  grant: Readonly<Record<string, string>>,
  context: CallContext,
): Promise<ProviderTokens | { readonly refusal: Refusal }> {
  const { token: endpoint } = context.provider.endpoints;
  if (endpoint === undefined) throw new RemoteFailure('its discovery document names no token endpoint');
  const reply = await sendForm(parts, endpoint, grant, context);
  if ('refusal' in reply) return reply;
  const read = tokens.safeParse(reply.json);
  if (!read.success) throw new RemoteFailure('its reply has no ID token');
  return { idToken: read.data.id_token, accessToken: read.data.access_token };
}
