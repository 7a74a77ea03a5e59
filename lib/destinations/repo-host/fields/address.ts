// Beyond the usual files: connections and apps have two fields for the host, which result in one address.
import { type Problem, problemOf } from '#core/problem.ts';
import type { AppAddresses } from '../../contract.ts';
import { baseUrl } from '../../frame/fields/endpoint.ts';
import { publicApi } from './fields.ts';

/**
 * Base URL of the REST API, without a trailing slash. `endpoint` is that URL itself; `enterprise_url` is the address that users open
 * in a browser. The connection has passed `refuseAddresses`.
 */
export function apiBase({ endpoint, enterprise_url }: AppAddresses): string {
  if (enterprise_url !== undefined) return enterpriseApi(enterprise_url);
  return endpoint === undefined ? publicApi : baseUrl(endpoint);
}

/** The problems of the two fields. `endpoint` alone was checked when it was parsed. */
export function refuseAddresses({ endpoint, enterprise_url }: AppAddresses): readonly Problem[] {
  if (enterprise_url === undefined) return [];
  const problem = urlProblem(enterprise_url);
  if (problem !== undefined) return [problemOf('enterprise_url', `invalid enterprise_url: ${problem}`)];
  if (endpoint === undefined) return [];
  const same = [baseUrl(enterprise_url), enterpriseApi(enterprise_url)].includes(baseUrl(endpoint));
  const rule =
    'endpoint and enterprise_url name different servers: set one of them, and set the other to null if it is stored';
  return same ? [] : [problemOf(['endpoint', 'enterprise_url'], rule)];
}

// The message does not contain the URL, because a password in it is a secret.
function urlProblem(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    return 'must be a URL such as https://git.example.com';
  if (url.username !== '' || url.password !== '') return 'a user name or password is not allowed';
  return /[?#]/.test(value) ? 'a query or fragment is not allowed' : undefined;
}

/** A self-hosted server has the API at `/api/v3`; the hosted variants have a separate host name for it. */
function enterpriseApi(value: string): string {
  const url = new URL(value);
  if (/\/api(\/|$)/.test(url.pathname)) return baseUrl(value);
  if (url.hostname === 'github.com' || url.hostname === 'api.github.com') return publicApi;
  // https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency: https://api.SUBDOMAIN.ghe.com
  if (url.hostname.endsWith('.ghe.com')) return `${url.protocol}//api.${url.host.replace(/^api\./, '')}`;
  return `${baseUrl(value)}/api/v3`;
}
