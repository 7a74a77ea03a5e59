import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf([]);

/** Every path of the sync, with its methods. */
const paths: Readonly<Record<string, readonly string[]>> = {
  'sys/sync/config': ['delete', 'get', 'patch', 'post'],
  'sys/sync/destinations': ['get'],
  'sys/sync/destinations/cloud-a-sm': ['get'],
  ...Object.fromEntries(
    definitions.map(({ type }) => [`sys/sync/destinations/${type}/some`, ['delete', 'get', 'patch', 'post']]),
  ),
  'sys/sync/destinations/repo-host/some/associations': ['get'],
  'sys/sync/destinations/repo-host/some/associations/set': ['post'],
  'sys/sync/destinations/repo-host/some/associations/remove': ['post'],
  'sys/sync/associations': ['get'],
  'sys/sync/associations/destinations': ['get'],
  'sys/sync/associations/secret/app': ['get'],
  'sys/sync/github-apps': ['get'],
  'sys/sync/github-apps/some': ['delete', 'get', 'post'],
  'sys/sync/replay': ['post'],
};

interface Help {
  readonly help: string;
  readonly openapi: {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
}

const helpOf = async (path: string) => {
  const { status, text } = await service.ask('GET', `${path}?help=1`);
  return { status, ...(JSON.parse(text) as Help) };
};

describe.each(Object.entries(paths))('the help of %s', (path, methods) => {
  test('says what the path is for, and its OpenAPI document has exactly its methods', async () => {
    const { status, help, openapi } = await helpOf(path);
    expect(status).toBe(200);
    expect(help).toContain(`# ${path}`);
    expect(help.length).toBeGreaterThan(path.length + 20);
    expect(openapi.openapi).toBe('3.0.3');
    const item = openapi.paths['/'] ?? {};
    const found = Object.keys(item).filter((key) => ['get', 'post', 'patch', 'delete'].includes(key));
    expect(found.toSorted()).toEqual(methods);
  });
});

describe.each(definitions)('the fields of $type', ({ type, fields }) => {
  test('are all in the help, each with a description', async () => {
    const { help } = await helpOf(`sys/sync/destinations/${type}/some`);
    const common = ['secret_name_template', 'granularity', 'adopt', 'disable_strict_networking', 'allowed_ports'];
    for (const field of [...Object.keys(fields), ...common]) expect(help).toMatch(new RegExp(`\\| ${field} \\|.*\\w`));
  });
});

test('sys/sync as a whole has help, and an unknown path has none', async () => {
  expect((await service.ask('GET', 'sys/sync/nonsense/x?help=1')).status).toBe(404);
  expect(Object.keys((await helpOf('sys/sync')).openapi.paths).length).toBeGreaterThan(Object.keys(paths).length / 2);
});

describe('a caller', () => {
  test.each(Object.entries(paths))('without rights gets 403 at %s', async (path, methods) => {
    const { body } = await service.ask('POST', 'auth/token/create', { policies: ['default'], ttl: '1h' });
    const { client_token } = Object(body['auth']);
    for (const method of methods) {
      const answer = await service.ask(method.toUpperCase(), path, method === 'get' ? undefined : {}, {
        headers: { 'x-service-token': client_token },
      });
      expect(answer.status).toBe(403);
    }
    expect((await service.ask('GET', path, undefined, { headers: { 'x-service-token': undefined } })).status).toBe(403);
  });
});
