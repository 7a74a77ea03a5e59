import { isRestError, type PipelineResponse } from '@azure/core-rest-pipeline';
import { DestinationFailure } from '../contract.ts';
import { explain, kindOf, retryAfter } from './failure.ts';

/** Codes of https://learn.microsoft.com/entra/identity-platform/reference-error-codes that say what to mend. */
const advice: Readonly<Record<string, string>> = {
  AADSTS7000215: 'client_secret is wrong (it takes the value of the secret, not its id)',
  AADSTS7000222: 'client_secret has expired: make a new one for the app registration',
  AADSTS700016: 'client_id is not known in this tenant',
  AADSTS90002: 'tenant_id is not known',
  AADSTS900023: 'tenant_id is neither an id nor a domain name of a tenant',
};

/** The login service answered, but not with a token. Its texts are not passed on, only its code. */
export function refusedLogin(response: PipelineResponse, origin: string): DestinationFailure {
  const { status } = response;
  const kind = kindOf(status);
  const retryAfterMs = retryAfter(response.headers.get('retry-after'));
  if (kind === 'throttled' || kind === 'unavailable' || kind === 'timeout') {
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    return new DestinationFailure(kind, `the login at ${origin} is not possible now (status ${status})`, wait);
  }
  const code = /AADSTS\d{4,9}/.exec(response.bodyAsText ?? '')?.[0];
  const why = code === undefined ? 'check tenant_id, client_id and client_secret' : (advice[code] ?? 'see the code');
  return new DestinationFailure(
    'credentials',
    `the login at ${origin} was refused (${code ?? `status ${status}`}): ${why}`,
  );
}

/** No answer came. A login host that cannot be found is no vault that is missing. */
export function explainLogin(error: unknown, origin: string): DestinationFailure {
  const what = `the login at ${origin}`;
  if (isRestError(error) && error.code === 'ENOTFOUND') {
    return new DestinationFailure('network', `${what} failed: its host name could not be found`);
  }
  return explain(error, what);
}
