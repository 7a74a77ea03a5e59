// Beyond the usual files: two fields name the host, and people give its address with or without the path of the API.
import { baseUrl } from '../frame/fields/endpoint.ts';
import { type Connection, publicHost } from './fields.ts';

const apiPath = '/api/v2';

/** Base URL of the API, without a trailing slash. */
export function apiBase({ address, endpoint }: Pick<Connection, 'address' | 'endpoint'>): string {
  const base = baseUrl(endpoint ?? address ?? publicHost);
  return base.endsWith(apiPath) ? base : `${base}${apiPath}`;
}
