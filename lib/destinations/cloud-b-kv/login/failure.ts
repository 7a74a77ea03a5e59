// Beyond the usual files: the login service has its own codes and advice, apart from those of the vault.
import { isRestError, type PipelineResponse } from '@azure/core-rest-pipeline';
import { z } from 'zod';
import { DestinationFailure } from '../../contract.ts';
import { requestIdOf, retryAfterMs } from '../../frame/answer/headers.ts';
import { jsonIn } from '../../frame/answer/remote-text.ts';
import { cannot } from '../../frame/verb/verb.ts';
import { explain, kindOf } from '../failure.ts';

/** Advice for codes of https://learn.microsoft.com/entra/identity-platform/reference-error-codes that users can act on. */
const advice: Readonly<Record<string, string>> = {
  AADSTS7000215: 'client_secret is wrong (set the value of the secret, not its id)',
  AADSTS7000222: 'client_secret has expired: make a new one for the app registration',
  AADSTS700016: 'client_id is not known in this tenant',
  AADSTS90002: 'tenant_id is not known',
  AADSTS900023: 'tenant_id is neither an id nor a domain name of a tenant',
  AADSTS50034: 'the account is not known in this tenant',
  AADSTS500011: 'the tenant does not know the key vault service: check tenant_id and cloud',
  AADSTS53003: 'a conditional access policy of the tenant blocks the login',
  AADSTS7000112: 'the app registration is disabled',
  AADSTS7000229: 'the app registration has no service principal in this tenant',
  AADSTS700027: 'the credentials of the app registration are not valid',
  AADSTS90013: 'the login service rejected the request: check tenant_id, client_id and client_secret',
};

/** Whether the answer has a token. The page of a proxy or a captive portal has a successful status too. */
export const hasToken = ({ bodyAsText }: PipelineResponse): boolean =>
  tokenBody.safeParse(jsonIn(bodyAsText ?? '')).success;

const tokenBody = z.object({ access_token: z.string().min(1), expires_in: z.union([z.number(), z.string()]) });

const strangeLogin =
  'the answer did not come from the login service: check authority_host, and whether a proxy or a login page intercepts the request';

/** The failure for an answer without a token. It shows the login service's code, never its texts. */
export function refusedLogin(response: PipelineResponse, origin: string): DestinationFailure {
  const { status } = response;
  const kind = kindOf(status);
  const requestId = requestIdOf((name) => response.headers.get(name), 'x-ms-request-id');
  if (kind === 'throttled' || kind === 'unavailable' || kind === 'timeout') {
    return new DestinationFailure(kind, `cannot log in at ${origin} now (status ${status})`, {
      retryAfterMs: retryAfterMs((name) => response.headers.get(name)),
      requestId,
    });
  }
  if (status < 400) {
    return new DestinationFailure('unavailable', `cannot log in at ${origin} (status ${status}): ${strangeLogin}`);
  }
  const found = /AADSTS\d{4,9}/.exec(response.bodyAsText ?? '')?.[0] ?? '';
  const why = advice[found] ?? 'check tenant_id, client_id and client_secret';
  const code = found in advice ? found : undefined;
  const message = `cannot log in at ${origin} (${code ?? `status ${status}`}): ${why}`;
  return new DestinationFailure('credentials', message, { requestId });
}

/** The failure for a login without an answer. A missing login host is reported as such, not as a missing vault. */
export function explainLogin(error: unknown, origin: string): DestinationFailure {
  const action = `log in at ${origin}`;
  if (isRestError(error) && error.code === 'ENOTFOUND') {
    return cannot(action, new DestinationFailure('network', 'its host name could not be found'));
  }
  return error instanceof DestinationFailure ? error : cannot(action, explain(error));
}
