// Beyond the usual files: connections and apps name a host by two fields, which come to one address.
import type { AppAddresses } from '../contract.ts';
import { baseUrl } from '../frame/fields/endpoint.ts';
import { publicApi } from './fields.ts';

/**
 * Base URL of the REST API, without a trailing slash. `endpoint` is that URL itself; `enterprise_url` is the address of
 * the server that people open. The connection has passed `refuseAddresses`.
 */
export function apiBase({ endpoint, enterprise_url }: AppAddresses): string {
  if (enterprise_url !== undefined) return enterpriseApi(enterprise_url);
  return endpoint === undefined ? publicApi : baseUrl(endpoint);
}

/** What is wrong with the two fields, in words. `endpoint` alone was checked when it was read. */
export function refuseAddresses({ endpoint, enterprise_url }: AppAddresses): readonly string[] {
  if (enterprise_url === undefined) return [];
  const problem = urlProblem(enterprise_url);
  if (problem !== undefined) return [`invalid enterprise_url: ${problem}`];
  if (endpoint === undefined) return [];
  const same = [baseUrl(enterprise_url), enterpriseApi(enterprise_url)].includes(baseUrl(endpoint));
  return same
    ? []
    : ['endpoint and enterprise_url name different servers: give one of them, and null for the other if it is stored'];
}

// The URL itself stays out of the message: a password in it is a secret.
function urlProblem(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    return 'it takes a URL such as https://git.example.com';
  if (url.username !== '' || url.password !== '') return 'it takes no user name or password';
  return /[?#]/.test(value) ? 'it takes no query and no fragment' : undefined;
}

/** A server of one's own serves the API below `/api/v3`; the hosted forms have a host name of its own for it. */
function enterpriseApi(value: string): string {
  const url = new URL(value);
  if (/\/api(\/|$)/.test(url.pathname)) return baseUrl(value);
  if (url.hostname === 'github.com' || url.hostname === 'api.github.com') return publicApi;
  // https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency: https://api.SUBDOMAIN.ghe.com
  if (url.hostname.endsWith('.ghe.com')) return `${url.protocol}//api.${url.host.replace(/^api\./, '')}`;
  return `${baseUrl(value)}/api/v3`;
}
