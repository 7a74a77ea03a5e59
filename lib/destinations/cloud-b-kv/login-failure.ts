// Beyond the usual files: the login service has codes and advice of its own, beside those of the vault.
import { isRestError, type PipelineResponse } from '@azure/core-rest-pipeline';
import { z } from 'zod';
import { DestinationFailure } from '../contract.ts';
import { jsonIn } from '../frame/answer/json-in.ts';
import { requestIdOf } from '../frame/answer/request-id.ts';
import { retryAfterMs } from '../frame/answer/retry-after.ts';
import { cannot } from '../frame/verb/verb.ts';
import { explain, kindOf } from './failure.ts';

/** Codes of https://learn.microsoft.com/entra/identity-platform/reference-error-codes that say what to mend. */
const advice: Readonly<Record<string, string>> = {
  AADSTS7000215: 'client_secret is wrong (it takes the value of the secret, not its id)',
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
  AADSTS90013: 'the login service does not take the request: check tenant_id, client_id and client_secret',
};

/** The answer has a token. A page that a proxy or a captive portal answers instead has the status of a success as well. */
export const hasToken = ({ bodyAsText }: PipelineResponse): boolean =>
  tokenBody.safeParse(jsonIn(bodyAsText ?? '')).success;

const tokenBody = z.object({ access_token: z.string().min(1), expires_in: z.union([z.number(), z.string()]) });

const strangeLogin =
  'this is no answer of the login service: check authority_host, and whether a proxy or a login page stands between';

/** The login service answered, but not with a token. Its texts are not passed on, only its code. */
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

/** No answer came. A login host that cannot be found is no vault that is missing. */
export function explainLogin(error: unknown, origin: string): DestinationFailure {
  const action = `log in at ${origin}`;
  if (isRestError(error) && error.code === 'ENOTFOUND') {
    return cannot(action, new DestinationFailure('network', 'its host name could not be found'));
  }
  return error instanceof DestinationFailure ? error : cannot(action, explain(error));
}
