import { validate } from '@readme/openapi-parser';
import { beforeAll, describe, expect, test } from 'vitest';
import { ask as askAt } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);
const at = 'sys/internal/specs/openapi';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly [name: string]: unknown;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: { readonly token: { readonly name: string } } };
}

const alias = (token: string) => ({ headers: { 'x-service-token': undefined, 'x-vault-token': token } });
const documentAt = async (query = '', options = {}): Promise<Document> => {
  const { status, body } = await service.ask('GET', at + query, undefined, options);
  expect(status).toBe(200);
  return body as unknown as Document;
};

const operationsOf = ({ paths }: Document): readonly Operation[] =>
  Object.values(paths).flatMap((item) =>
    ['get', 'post', 'patch', 'delete'].flatMap((method) => (item[method] === undefined ? [] : [item[method]])),
  );

/** The problems that the validator finds in a document. */
async function problemsOf(document: unknown): Promise<readonly string[]> {
  const result = await validate(structuredClone(document) as Parameters<typeof validate>[0]);
  return result.valid ? [] : result.errors.map(({ message }) => message);
}

async function tokenFor(policy: string): Promise<string> {
  const name = service.name('policy');
  await service.ask('PUT', `sys/policies/acl/${name}`, { policy });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: [name], no_default_policy: true });
  return Object(body['auth']).client_token;
}

beforeAll(async () => {
  await service.ask('POST', 'sys/mounts/plain', { type: 'kv', options: { version: '1' } });
});

describe('the document of the whole service', () => {
  test.each([
    ['in the canonical vocabulary', '', {}],
    ['in the vocabulary of existing clients', '', alias],
    ['with generic mounts', '?generic_mount_paths=true', {}],
  ])('is valid %s', async (_names, query, headers) => {
    const document = await documentAt(query, typeof headers === 'function' ? headers(service.rootToken) : headers);
    expect(await problemsOf(document)).toEqual([]);
    expect(operationsOf(document).length).toBeGreaterThan(80);
  });

  test('matches the help of a single path, which is valid too', async () => {
    const { body } = await service.ask('GET', 'sys/policies/acl?help=1');
    expect(await problemsOf(body['openapi'])).toEqual([]);
  });

  test('is checked by a validator that finds mistakes', async () => {
    const document = await documentAt();
    const [first] = operationsOf(document);
    for (const operation of operationsOf(document)) Object.assign(operation, { operationId: first?.operationId });
    expect(await problemsOf(document)).not.toEqual([]);
  });

  test('has a unique id for each operation, with the context as suffix', async () => {
    const ids = operationsOf(await documentAt('?context=v2')).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^[A-Za-z]\w*_v2$/.test(id))).toBe(true);
  });

  test('groups operations, and marks those that need no token or sudo', async () => {
    const { paths } = await documentAt();
    expect(paths['/sys/health']?.['get']).toMatchObject({
      tags: ['system'],
      security: [],
      'x-service-unauthenticated': true,
    });
    expect(paths['/sys/seal']?.['post']).toMatchObject({ 'x-service-sudo': true });
    expect(paths['/secret/data/{path}']?.['get']).toMatchObject({ tags: ['secrets'] });
    expect(paths['/auth/token/create']?.['post']).toMatchObject({ tags: ['auth'] });
  });

  test('has the replies of an operation that differ from the usual ones', async () => {
    const { paths } = await documentAt();
    const responses = (path: string, method: string) => Object(paths[path]?.[method]?.['responses']);
    expect(responses('/sys/sync/batches', 'post')[202].content).toEqual(
      responses('/sys/sync/batches', 'post')[200].content,
    );
    expect(responses('/sys/sync/batches/{id}', 'get')[202]).toBeUndefined();
    expect(responses('/sys/sync/overview', 'get')[304]).toEqual({ description: 'The caller has the current version' });
    expect(Object.keys(responses('/sys/metrics', 'get')[200].content)).toEqual(['application/json', 'text/plain']);
    expect(responses('/secret/data/{path}', 'get')[404].content['application/json'].schema.anyOf).toHaveLength(2);
    for (const status of ['2XX', '3XX', '4XX', '5XX'])
      expect(responses('/sys/health', 'get')[status].content).toEqual({ 'application/json': { schema: {} } });
    expect(responses('/identity/oidc/provider/{name}/token', 'post')[401].content).toEqual({
      'application/json': { schema: {} },
    });
  });

  test('uses the vocabulary of its request', async () => {
    const ours = await documentAt();
    const theirs = await documentAt('', alias(service.rootToken));
    expect(ours.components.securitySchemes.token.name).toBe('X-Service-Token');
    expect(theirs.components.securitySchemes.token.name).toBe('X-Vault-Token');
    expect(theirs.paths['/sys/seal']?.['post']).toMatchObject({ 'x-vault-sudo': true });
    expect(Object.keys(ours.paths)).toContain('/sys/sync/destinations/cloud-a-sm/{name}');
    expect(Object.keys(theirs.paths)).toContain('/sys/sync/destinations/aws-sm/{name}');
  });

  test('describes mounts at their paths, or each kind once', async () => {
    const paths = Object.keys((await documentAt()).paths);
    expect(paths).toContain('/plain/{path}');
    const generic = await documentAt('?generic_mount_paths=true');
    expect(Object.keys(generic.paths)).toEqual(
      expect.arrayContaining(['/{kv_mount_path}/{path}', '/{kv_mount_path}/data/{path}', '/sys/health']),
    );
    expect(Object.keys(generic.paths).filter((path) => /^\/(plain|secret)\//.test(path))).toEqual([]);
    expect((await service.ask('POST', at, { generic_mount_paths: true })).body).toEqual(generic);
  });

  test('covers the current mounts, in every process', async () => {
    const mount = service.name('late');
    const { address } = other;
    const seen = async () => {
      const { body } = await askAt({ address, token: service.rootToken, method: 'GET', path: at });
      return Object.keys(Object(body['paths'])).filter((path) => path.startsWith(`/${mount}/`)).length > 0;
    };
    expect(await seen()).toBe(false);
    await service.ask('POST', `sys/mounts/${mount}`, { type: 'kv' });
    expect(await seen()).toBe(true);
    await service.ask('DELETE', `sys/mounts/${mount}`);
    expect(await seen()).toBe(false);
  });
});

describe('a caller', () => {
  const read = `path "${at}" { capabilities = ["read"] }`;

  test('sees only the mounts that it can reach', async () => {
    const token = await tokenFor(`${read} path "secret/data/a" { capabilities = ["read"] }`);
    const paths = Object.keys((await documentAt('', { headers: { 'x-service-token': token } })).paths);
    expect(paths).toContain('/secret/data/{path}');
    expect(paths.filter((path) => path.startsWith('/plain/') || path.startsWith('/auth/'))).toEqual([]);
  });

  test('needs a policy for it', async () => {
    const token = await tokenFor('path "secret/*" { capabilities = ["read"] }');
    for (const given of [token, undefined, 'hvs.none']) {
      const answer = await service.ask('GET', at, undefined, { headers: { 'x-service-token': given } });
      expect([answer.status, ...answer.errors]).toEqual([403, expect.stringContaining('permission denied')]);
    }
  });

  test.each(['?context=a%20b', `?context=${'x'.repeat(65)}`, '?generic_mount_paths=perhaps'])(
    'with %s is refused',
    async (query) => {
      expect((await service.ask('GET', at + query)).status).toBe(400);
    },
  );
});

test('a very large number of mounts is described by their kinds', async () => {
  for (let made = 0; made < 100; made += 1) await service.ask('POST', `sys/mounts/many-${made}`, { type: 'kv' });
  expect((await service.ask('GET', at)).errors).toEqual([expect.stringContaining('generic_mount_paths=true')]);
  expect(await problemsOf(await documentAt('?generic_mount_paths=true'))).toEqual([]);
});
