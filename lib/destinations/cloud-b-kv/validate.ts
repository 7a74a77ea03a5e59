import { cloudNames, findCloud } from './clouds.ts';
import type { Connection } from './fields.ts';

/** Rules over the fields of a connection. Texts never hold the client secret. */
export function validate(connection: Connection): readonly string[] {
  return [
    ...vaultProblems(connection),
    ...identityProblems(connection),
    ...httpsProblems('authority_host', connection.authority_host),
    // The SDK sends no token over a connection that anyone can read.
    ...httpsProblems('endpoint', connection.endpoint),
  ];
}

function vaultProblems({ key_vault_uri, cloud, endpoint }: Connection): readonly string[] {
  const home = findCloud(cloud);
  if (home === undefined) return [`invalid cloud ${JSON.stringify(cloud.slice(0, 64))}: it is one of ${cloudNames}`];
  const url = URL.parse(key_vault_uri);
  const example = `https://my-vault.${home.vaultSuffix}`;
  if (url === null || !isPlainHttps(url) || url.pathname !== '/') {
    return [`invalid key_vault_uri: it takes the https URI of a vault, without a path, such as ${example}`];
  }
  // Behind another name than the cloud's own there is no vault; credentials would go to whoever answers there.
  if (endpoint !== undefined || url.hostname.endsWith(`.${home.vaultSuffix}`)) return [];
  return [
    `invalid key_vault_uri: a vault of ${home.name} has an address such as ${example}; another address goes into endpoint`,
  ];
}

function identityProblems({ tenant_id, client_id, client_secret }: Connection): readonly string[] {
  const problems: string[] = [];
  // The tenant becomes a segment of the login URL.
  if (!/^[0-9A-Za-z][0-9A-Za-z.-]{0,252}$/.test(tenant_id)) {
    problems.push('invalid tenant_id: it takes the id (a GUID) or a domain name of the tenant');
  }
  if (!/^[\x21-\x7e]{1,256}$/.test(client_id)) {
    problems.push('invalid client_id: it takes the application (client) id of the app registration');
  }
  if (client_secret.trim() === '') problems.push('client_secret is missing: it takes the value of a client secret');
  return problems;
}

function httpsProblems(field: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  const url = URL.parse(value);
  if (url !== null && isPlainHttps(url)) return [];
  return [`invalid ${field}: it takes an https URL without user name, query and fragment`];
}

const isPlainHttps = (url: URL): boolean =>
  url.protocol === 'https:' && url.username === '' && url.password === '' && !/[?#]/.test(url.href);
