/** Tokens for operations about tokens. */
export interface Known {
  readonly token: string;
  readonly accessor: string;
}

/** Values for path parameters; all others get `x`. */
const names: Readonly<Record<string, string>> = {
  type: 'cloud-a-sm',
  urlalgorithm: 'sha2-256',
  algorithm: 'sha2-256',
  urlbytes: '8',
  bytes: '8',
  source: 'platform',
};

/** The path with each parameter replaced by `name`, or by a value that exists. */
export const filled = (path: string, name?: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, parameter: string) => name ?? names[parameter] ?? 'x');

type Members = Readonly<Record<string, unknown>>;

/** Valid bodies by path, so that a single mistake is found late. The first match counts. */
const bodies: readonly (readonly [RegExp, (known: Known) => Members])[] = [
  [/^auth\/token\/create/, () => ({ policies: ['default'], ttl: '1h' })],
  [/^auth\/token\/roles/, () => ({ allowed_policies: ['default'] })],
  [/^auth\/token\/(lookup|renew)-accessor$|capabilities-accessor$/, ({ accessor }) => ({ accessor, paths: ['a'] })],
  [/^auth\/token\/(lookup|renew)$|capabilities$/, ({ token }) => ({ token, paths: ['a'] })],
  [/capabilities-self$/, () => ({ paths: ['a'] })],
  [/^auth\/token\/revoke-accessor/, () => ({ accessor: 'none' })],
  [/^auth\/token\/revoke/, () => ({ token: 'hvs.none' })],
  [/^sys\/(leases\/)?(lookup|renew|revoke)$/, () => ({ lease_id: 'auth/token/create/none' })],
  [/^identity\/oidc\/key\/[^/]+$/, () => ({ algorithm: 'EdDSA' })],
  [/^identity\/oidc\/role\//, () => ({ key: 'default', template: '{"a": {{identity.entity.id}}}' })],
  [/^identity\/oidc\/introspect$/, () => ({ token: 'a.b.c' })],
  [/^(cubbyhole|plain)\//, () => ({ a: '1' })],
  [/^secret\/data\//, () => ({ data: { a: '1' }, options: {} })],
  [/^secret\/(delete|undelete|destroy)\//, () => ({ versions: [1] })],
  [/^sys\/mounts\/[^/]+\/tune$/, () => ({ options: {} })],
  [/^sys\/mounts\//, () => ({ type: 'kv', options: {} })],
  [/^sys\/policies\/test$/, () => ({ path: 'x', policy: 'path "x" { capabilities = ["read"] }', parameters: {} })],
  [/^sys\/policies\/acl\//, () => ({ policy: 'path "x" { capabilities = ["read"] }' })],
  [/^sys\/policies\/password\//, () => ({ policy: 'length = 8\nrule "charset" { charset = "abcdefgh" }' })],
  [/^sys\/policy\//, () => ({ policy: 'path "x" { capabilities = ["read"] }' })],
  // A limit on everything would refuse the requests that follow.
  [/^sys\/quotas\/rate-limit\//, () => ({ path: 'plain', rate: 1_000_000 })],
  [/^sys\/quotas\/lease-count\//, () => ({ path: 'plain', max_leases: 1_000_000 })],
  [/^sys\/config\/cors/, () => ({ allowed_origins: ['https://a.example'] })],
  [/^sys\/config\/ui\/headers\//, () => ({ values: ['a'] })],
  [/^sys\/remount/, () => ({ from: 'none', to: 'other' })],
  [/^sys\/sync\/.*\/associations\//, () => ({ mount: 'secret', secret_name: 'x' })],
  // The network guard refuses this address, so no call goes out.
  [/^sys\/sync\/destinations\/(cloud-a-sm|aws-sm)\/[^/]+$/, () => ({ ...keys, endpoint: 'https://127.0.0.1' })],
  [
    /^sys\/sync\/destinations\/(cloud-b-kv|azure-kv)\//,
    () => ({ ...login, key_vault_uri: 'https://a.vault.azure.net' }),
  ],
  [
    /^sys\/sync\/destinations\/(deploy-host-project|vercel-project)\//,
    () => ({ access_token: 'x', project_id: 'prj_x', deployment_environments: ['production'] }),
  ],
  [
    /^sys\/sync\/destinations\/(workspace-vars|hcp-terraform)\//,
    () => ({ token: 'x', workspace_id: 'ws-x', endpoint: 'https://127.0.0.1' }),
  ],
  [
    /^sys\/sync\/destinations\/(repo-host|gh)\//,
    () => ({ access_token: 'x', repository_owner: 'x', repository_name: 'x' }),
  ],
  [/^sys\/sync\/github-apps/, () => ({ app_id: 1, private_key: 'x' })],
  // The network guard refuses the address of the name, so no call goes out.
  [/^sys\/sync\/notifications\/[^/]+$/, () => ({ url: 'http://localhost/', kinds: [], destinations: ['*/x'] })],
  [/^sys\/wrapping\//, () => ({ token: 'hvs.none' })],
];

const keys = { region: 'eu-west-1', access_key_id: 'x', secret_access_key: 'x' };
const login = { tenant_id: 'x', client_id: 'x', client_secret: 'x' };

/** The members of a valid body of an operation. */
export const rightBody = (path: string, known: Known): Members =>
  bodies.find(([pattern]) => pattern.test(path))?.[1](known) ?? {};
