import { type Problem, problemOf } from '#core/problem.ts';
import { cloudNames, findCloud } from './fields/clouds.ts';
import type { Connection } from './fields/fields.ts';

/** Rules about the fields of a connection. The messages never contain the client secret. */
export function validate(connection: Connection): readonly Problem[] {
  return [
    ...vaultProblems(connection),
    ...identityProblems(connection),
    ...httpsProblems('authority_host', connection.authority_host),
    // The SDK sends no token over an unencrypted connection.
    ...httpsProblems('endpoint', connection.endpoint),
  ];
}

function vaultProblems({ key_vault_uri, cloud, endpoint }: Connection): readonly Problem[] {
  const home = findCloud(cloud);
  if (home === undefined)
    return [problemOf('cloud', `invalid cloud ${JSON.stringify(cloud.slice(0, 64))}: must be one of ${cloudNames}`)];
  const url = URL.parse(key_vault_uri);
  const example = `https://my-vault.${home.vaultSuffix}`;
  if (url === null || !isPlainHttps(url) || url.pathname !== '/') {
    const rule = `must be the https URI of a vault, without a path, such as ${example}`;
    return [problemOf('key_vault_uri', `invalid key_vault_uri: ${rule}`)];
  }
  // Only names of the cloud are vaults; with any other name the credentials could go to a foreign server.
  if (endpoint !== undefined || url.hostname.endsWith(`.${home.vaultSuffix}`)) return [];
  const rule = `a vault of ${home.name} has an address such as ${example}; set any other address in endpoint`;
  return [problemOf('key_vault_uri', `invalid key_vault_uri: ${rule}`)];
}

function identityProblems({ tenant_id, client_id, client_secret }: Connection): readonly Problem[] {
  const problems: Problem[] = [];
  // The tenant becomes a segment of the login URL.
  if (!/^[0-9A-Za-z][0-9A-Za-z.-]{0,252}$/.test(tenant_id)) {
    problems.push(problemOf('tenant_id', 'invalid tenant_id: must be the id (a GUID) or a domain name of the tenant'));
  }
  if (!/^[\x21-\x7e]{1,256}$/.test(client_id)) {
    const rule = 'must be the application (client) id of the app registration';
    problems.push(problemOf('client_id', `invalid client_id: ${rule}`));
  }
  if (client_secret.trim() === '')
    problems.push(problemOf('client_secret', 'client_secret is missing: set the value of a client secret'));
  return problems;
}

function httpsProblems(field: string, value: string | undefined): readonly Problem[] {
  if (value === undefined) return [];
  const url = URL.parse(value);
  if (url !== null && isPlainHttps(url)) return [];
  return [problemOf(field, `invalid ${field}: must be an https URL without user name, query and fragment`)];
}

const isPlainHttps = (url: URL): boolean =>
  url.protocol === 'https:' && url.username === '' && url.password === '' && !/[?#]/.test(url.href);
