import { beforeAll, describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

// Every operation in the help of every mount, requested by callers with no or few rights.
const service = serviceOf([]);

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly open: boolean;
  readonly sudo: boolean;
}

const enabled = ['userpass', 'approle', 'orchestrator', 'jwt'];
const auth = ['token', ...enabled].map((type) => `auth/${type}`);
const mounts = ['sys', ...auth, 'cubbyhole', 'identity', 'secret', 'plain'];
const methods = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' };

async function tokenOf(policies: readonly string[], noDefault: boolean): Promise<string> {
  const body = { policies, no_default_policy: noDefault };
  return ((await service.ask('POST', 'auth/token/create', body)).body['auth'] as { client_token: string }).client_token;
}

const ask = (token: string, method: string, path: string) =>
  service.ask(method, path, method === 'POST' || method === 'PATCH' ? {} : undefined, {
    headers: { 'x-service-token': token },
  });

/** A listing is a GET with a query; both forms are tried where both exist. */
async function operationsOf(mount: string): Promise<readonly Operation[]> {
  const { body } = await service.ask('GET', `${mount}?help=1`);
  const { paths } = body['openapi'] as { paths: Record<string, Record<string, Record<string, unknown>>> };
  return Object.entries(paths).flatMap(([pattern, item]) =>
    Object.entries(methods).flatMap(([key, method]) => {
      const operation = item[key];
      if (operation === undefined) return [];
      const path = (mount + (pattern === '/' ? '' : pattern)).replaceAll(/\{\w+\}/g, 'x');
      const marks = {
        open: operation['x-service-unauthenticated'] === true,
        sudo: operation['x-service-sudo'] === true,
      };
      const lists = JSON.stringify(operation['parameters'] ?? []).includes('"list"');
      const asked = [{ method, path, ...marks }];
      return lists ? [...asked, { method: 'LIST', path, ...marks, open: false }] : asked;
    }),
  );
}

let operations: readonly Operation[];
let bare: string;
let usual: string;

beforeAll(async () => {
  await service.ask('POST', 'sys/mounts/plain', { type: 'kv', options: { version: '1' } });
  for (const type of enabled) await service.ask('POST', `sys/auth/${type}`, { type });
  await service.ask('POST', 'plain/x', { a: '1' });
  await service.ask('POST', 'secret/data/x', { data: { a: '1' } });
  operations = (await Promise.all(mounts.map(operationsOf))).flat();
  bare = await tokenOf(['none'], true);
  usual = await tokenOf(['default'], false);
});

const shown = ({ method, path }: Pick<Operation, 'method' | 'path'>) => `${method} ${path}`;

describe('the walk', () => {
  test('finds the rows', () => {
    expect(operations.length).toBeGreaterThan(80);
    const paths = operations.map(shown);
    for (const one of ['POST sys/policies/acl/x', 'LIST sys/policies/acl', 'GET plain/x', 'POST secret/data/x']) {
      expect(paths).toContain(one);
    }
  });

  test('a token without policies gets 403 everywhere, unless the operation needs no token', async () => {
    const answered: string[] = [];
    for (const operation of operations.filter(({ open }) => !open)) {
      const { status, errors } = await ask(bare, operation.method, operation.path);
      if (status !== 403 || errors[0] !== '1 error occurred:\n\t* permission denied\n\n') {
        answered.push(`${shown(operation)}: ${status} ${errors.join()}`);
      }
    }
    expect(answered).toEqual([]);
  });

  test('operations without a token are these', () => {
    const open = operations.filter((operation) => operation.open).map(shown);
    expect(open.sort()).toEqual(unauthenticated);
  });

  test('refuses requests without a token and with an invalid one', async () => {
    const answered: string[] = [];
    for (const operation of operations.filter(({ open }) => !open)) {
      for (const token of ['', 'hvs.none']) {
        const { status } = await ask(token, operation.method, operation.path);
        if (status !== 403) answered.push(`${shown(operation)}: ${status}`);
      }
    }
    expect(answered).toEqual([]);
  });

  test.each([
    'no/such/mount',
    'nothing',
    'secret/none/x',
    'sys/none',
    'sys/',
    'plain/none',
    'auth/none/login',
    'auth/token/none',
    'identity/entity',
  ])('a path that does not exist, such as %s, gets 403 for every verb', async (path) => {
    for (const method of ['GET', 'LIST', 'DELETE', ...(path.endsWith('/') ? [] : ['POST', 'PATCH'])]) {
      expect([method, (await ask(bare, method, path)).status]).toEqual([method, 403]);
    }
  });

  test('the policy default grants what it names, and nothing else', async () => {
    const opened: string[] = [];
    for (const operation of operations.filter(({ open, path }) => !open && path !== 'auth/token/revoke-self')) {
      const { status } = await ask(usual, operation.method, operation.path);
      if (status !== 403) opened.push(shown(operation));
    }
    expect(opened.sort()).toEqual(namedByDefault);
  });

  test('a caller with all capabilities except sudo is refused where sudo is required', async () => {
    await service.ask('PUT', 'sys/policies/acl/all', {
      policy: 'path "*" { capabilities = ["create", "read", "update", "patch", "delete", "list"] }',
    });
    const token = await tokenOf(['all'], true);
    const marked = operations.filter(({ sudo }) => sudo);
    expect(marked.map(shown).sort()).toEqual(withSudo);
    const open: string[] = [];
    for (const operation of marked) {
      const { status } = await ask(token, operation.method, operation.path);
      if (status !== 403) open.push(`${shown(operation)}: ${status}`);
    }
    // A path that can only be listed has no operation for a GET without `list=true`.
    expect(open.sort()).toEqual(listings.map((path) => `GET ${path}: 405`).sort());
  });
});

const unauthenticated: readonly string[] = [
  'DELETE sys/generate-root/attempt',
  'DELETE sys/rekey-recovery-key/init',
  'DELETE sys/rekey-recovery-key/verify',
  'DELETE sys/rekey/init',
  'DELETE sys/rekey/verify',
  'GET auth/jwt/oidc/callback',
  'GET identity/oidc/.well-known/keys',
  'GET identity/oidc/.well-known/openid-configuration',
  'GET identity/oidc/provider/x/.well-known/keys',
  'GET identity/oidc/provider/x/.well-known/openid-configuration',
  'GET identity/oidc/provider/x/userinfo',
  'GET sys/generate-root/attempt',
  'GET sys/health',
  'GET sys/init',
  'GET sys/internal/ui/authenticated-messages',
  'GET sys/internal/ui/feature-flags',
  'GET sys/internal/ui/mounts',
  'GET sys/internal/ui/mounts/x',
  'GET sys/internal/ui/namespaces',
  'GET sys/internal/ui/unauthenticated-messages',
  'GET sys/leader',
  'GET sys/rekey-recovery-key/init',
  'GET sys/rekey-recovery-key/verify',
  'GET sys/rekey/init',
  'GET sys/rekey/verify',
  'GET sys/replication/status',
  'GET sys/seal-status',
  'GET sys/wrapping/lookup',
  'POST auth/approle/login',
  'POST auth/jwt/login',
  'POST auth/jwt/oidc/auth_url',
  'POST auth/jwt/oidc/callback',
  'POST auth/jwt/oidc/poll',
  'POST auth/orchestrator/login',
  'POST auth/token/session',
  'POST auth/userpass/login/x',
  'POST identity/oidc/provider/x/token',
  'POST identity/oidc/provider/x/userinfo',
  'POST sys/decode-token',
  'POST sys/generate-root/attempt',
  'POST sys/generate-root/update',
  'POST sys/init',
  'POST sys/mfa/validate',
  'POST sys/rekey-recovery-key/init',
  'POST sys/rekey-recovery-key/update',
  'POST sys/rekey-recovery-key/verify',
  'POST sys/rekey/init',
  'POST sys/rekey/update',
  'POST sys/rekey/verify',
  'POST sys/unseal',
  'POST sys/wrapping/lookup',
  'POST sys/wrapping/rewrap',
  'POST sys/wrapping/unwrap',
];
const namedByDefault: readonly string[] = [
  'DELETE cubbyhole/x',
  'GET auth/token/lookup-self',
  'GET cubbyhole/x',
  'GET identity/oidc/provider/x/authorize',
  'GET sys/internal/ui/resultant-acl',
  'LIST cubbyhole/x',
  'POST auth/token/lookup-self',
  'POST auth/token/renew-self',
  'POST cubbyhole/x',
  'POST identity/oidc/provider/x/authorize',
  'POST sys/capabilities-self',
  'POST sys/leases/lookup',
  'POST sys/leases/renew',
  'POST sys/renew',
  'POST sys/tools/hash',
  'POST sys/tools/hash/x',
  'POST sys/wrapping/wrap',
];
/** With sudo, and nothing to read at their path. */
const listings: readonly string[] = [
  'auth/token/accessors/',
  'sys/config/ui/headers/',
  'sys/leases/lookup',
  'sys/leases/lookup/x',
  'sys/plugins/catalog/x/',
];
const withSudo: readonly string[] = [
  'DELETE sys/audit/x',
  'DELETE sys/auth/x',
  'DELETE sys/config/auditing/request-headers/x',
  'DELETE sys/config/cors',
  'DELETE sys/config/ui/headers/x',
  'GET auth/token/accessors/',
  'GET sys/audit',
  'GET sys/audit/x',
  'GET sys/auth/x',
  'GET sys/auth/x/tune',
  'GET sys/config/auditing/request-headers',
  'GET sys/config/auditing/request-headers/x',
  'GET sys/config/cors',
  'GET sys/config/ui/headers/',
  'GET sys/config/ui/headers/x',
  'GET sys/leases',
  'GET sys/leases/lookup',
  'GET sys/leases/lookup/x',
  'GET sys/monitor',
  'GET sys/plugins/catalog/x/',
  'GET sys/plugins/catalog/x/x',
  'GET sys/pprof',
  'GET sys/pprof/x',
  'LIST auth/token/accessors/',
  'LIST sys/config/ui/headers/',
  'LIST sys/leases',
  'LIST sys/leases/lookup',
  'LIST sys/leases/lookup/x',
  'LIST sys/plugins/catalog/x/',
  'POST auth/token/revoke-orphan',
  'POST auth/token/revoke-orphan/x',
  'POST sys/audit-hash/x',
  'POST sys/audit/x',
  'POST sys/auth/x',
  'POST sys/auth/x/tune',
  'POST sys/config/auditing/request-headers/x',
  'POST sys/config/cors',
  'POST sys/config/reload/x',
  'POST sys/config/ui/headers/x',
  'POST sys/leases/revoke-force/x',
  'POST sys/leases/revoke-prefix/x',
  'POST sys/remount',
  'POST sys/revoke-force/x',
  'POST sys/revoke-prefix/x',
  'POST sys/rotate',
  'POST sys/rotate/keyring',
  'POST sys/seal',
  'POST sys/step-down',
  'POST sys/sync/unseal',
];
