import { z } from 'zod';
import { RemoteFailure } from '#auth/login/remote/failure.ts';
import type { Question, Remote } from '#auth/login/remote/remote.ts';
import { upstreamFailed } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import type { JwtConfig } from '../../config.ts';
import type { Provider } from '../../verify/discovery.ts';

export interface CallParts {
  readonly remote: Remote;
  readonly log: Log;
}

/** What a login needs for its calls to the provider. */
export interface CallContext {
  readonly config: JwtConfig;
  readonly provider: Provider;
  /** Shown in the log. */
  readonly mountPath: string;
  readonly signal: AbortSignal;
}

/** What a provider replied to a form: the JSON of a success, or the code of an error that the standard knows. */
export type FormReply = { readonly json: unknown } | { readonly refusal: Refusal };

export type Refusal = (typeof refusals)[number] | 'another error';

/** Errors of RFC 6749, RFC 8628 and OpenID Connect. A provider chooses its texts freely, so no other text is ever shown. */
const refusals = [
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type'],
  ...['invalid_scope', 'access_denied', 'unsupported_response_type', 'server_error', 'temporarily_unavailable'],
  ...['authorization_pending', 'slow_down', 'expired_token', 'interaction_required', 'login_required'],
  ...['account_selection_required', 'consent_required'],
] as const;

/** The error that a provider names, if the standard knows it. */
export const refusalOf = (given: string): Refusal => refusals.find((one) => one === given) ?? 'another error';

const problem = z.object({ error: z.string() });

/** Sends a form with the credentials of the client to an endpoint. @throws RemoteFailure */
export async function sendForm(
  { remote }: CallParts,
  endpoint: string,
  form: Readonly<Record<string, string>>,
  { config, provider, signal }: CallContext,
): Promise<FormReply> {
  const { status, json } = await remote.ask({
    url: new URL(endpoint),
    caCertificates: config.oidc_discovery_ca_pem,
    signal,
    ...withCredentials(form, config, provider.secretInBody),
  });
  if (status === 200) return { json };
  const read = problem.safeParse(json);
  if (status >= 400 && status < 500 && read.success) return { refusal: refusalOf(read.data.error) };
  throw new RemoteFailure(`it replied with status ${status}`);
}

/** RFC 6749, section 2.3.1. */
function withCredentials(
  form: Readonly<Record<string, string>>,
  { oidc_client_id: id, oidc_client_secret: secret }: JwtConfig,
  inBody: boolean,
): Pick<Question, 'form' | 'headers'> {
  if (inBody) return { form: { ...form, client_id: id, client_secret: secret } };
  const credentials = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');
  return { form, headers: { authorization: `Basic ${credentials}` } };
}

const formEncoded = (text: string): string => new URLSearchParams({ text }).toString().slice('text='.length);

/** Calls a provider for a login. @throws AppError `upstream` when it cannot be asked */
export async function asking<T>({ log }: CallParts, mountPath: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    log.warn({ mount: mountPath, reason: error.reason }, 'a provider could not be asked for a login');
    throw upstreamFailed(`the provider could not be asked: ${error.reason}`);
  }
}
