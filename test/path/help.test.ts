import { describe, expect, test } from 'vitest';
import { helpOf } from '#path/documents/help.ts';
import { methodTypeNames } from '#path/vocabulary.ts';
import { sampleRows } from './rows.ts';

const at = (path: string) => {
  const help = helpOf(methodTypeNames, sampleRows, path, `auth/x/${path}`.replace(/\/$/, ''));
  if (help === undefined) throw new Error('there is no help');
  return help;
};
const plain = (path: string) => JSON.parse(JSON.stringify(at(path)));

describe('the OpenAPI document', () => {
  test('contains the path and all paths under it, relative to the path', () => {
    expect(Object.keys(plain('').openapi.paths)).toEqual(['/config', '/data/{path}', '/roles/', '/roles/{name}']);
    expect(Object.keys(plain('roles').openapi.paths)).toEqual(['/', '/{name}']);
    expect(Object.keys(plain('roles/admin').openapi.paths)).toEqual(['/']);
    expect(Object.keys(plain('data/a/b').openapi.paths)).toEqual(['/']);
    expect(plain('').openapi).toMatchObject({ openapi: '3.0.3', info: { title: 'Keyferry', version: '1' } });
  });

  test('describes the body of a write, with required fields, and with secrets as passwords without defaults', () => {
    const { post } = plain('').openapi.paths['/roles/{name}'];
    expect(post.requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['region'],
            properties: {
              region: { type: 'string', maxLength: 65_536, description: 'Region', 'x-service-immutable': true },
              key: { type: 'string', maxLength: 65_536, description: 'Access key', format: 'password' },
              tags: { type: 'object', additionalProperties: { type: 'string', maxLength: 65_536 } },
              ports: { type: 'array', maxItems: 10_000, items: { type: 'string', maxLength: 65_536 } },
              ttl: {
                oneOf: [
                  { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
                  { type: 'string', example: '1h30m' },
                ],
              },
              level: { type: 'string', enum: ['path', 'key'], nullable: true },
              extra: { type: 'object' },
            },
          },
        },
      },
    });
    expect(post.parameters).toEqual([
      { name: 'name', in: 'path', required: true, description: 'Name of the role', schema: { type: 'string' } },
    ]);
  });

  test('omits parameters whose value is in the path', () => {
    const { post, get } = plain('roles/admin').openapi.paths['/'];
    expect(post.parameters).toBeUndefined();
    expect(get.parameters).toEqual([{ name: 'verbose', in: 'query', schema: { type: 'boolean' } }]);
  });

  test('shows marks as extensions', () => {
    const { paths } = plain('').openapi;
    expect(paths['/config'].get['x-service-unauthenticated']).toBe(true);
    expect(paths['/roles/{name}'].get['x-service-sudo']).toBe(true);
    expect(paths['/roles/{name}']['x-service-createSupported']).toBe(true);
    expect(paths['/config']['x-service-createSupported']).toBeUndefined();
  });

  test('describes a listing as a GET with a parameter, which is optional if the path can also be read', () => {
    const { paths } = plain('').openapi;
    expect(paths['/roles/'].get.parameters).toMatchObject([{ name: 'list', required: true }]);
    expect(paths['/data/{path}'].get.parameters).toMatchObject([{ name: 'path' }, { name: 'list' }]);
    expect(paths['/data/{path}'].get.parameters[1].required).toBeUndefined();
  });

  test('describes a patch as a merge patch, and arbitrary fields as additional properties', () => {
    expect(Object.keys(plain('config').openapi.paths['/'].patch.requestBody.content)).toEqual([
      'application/merge-patch+json',
    ]);
    expect(plain('data').openapi.paths['/{path}'].post.requestBody.content['application/json'].schema).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: true,
    });
  });

  test('contains none of our own keys that OpenAPI does not know', () => {
    const text = JSON.stringify(at('').openapi);
    for (const key of [
      '"sensitive"',
      '"immutable"',
      '"$schema"',
      '"propertyNames"',
      '~standard',
      '"in":"path","type"',
    ]) {
      expect(text).not.toContain(key);
    }
  });
});

describe('the help text', () => {
  test('is Markdown with the operations, their fields and the paths below', () => {
    expect(at('config').help).toBe(
      [
        '# auth/x/config',
        'The configuration.',
        '## GET: Read the configuration',
        'Needs no token.',
        '## PATCH: Change the configuration',
        [
          '| field | type | required | meaning |',
          '| --- | --- | --- | --- |',
          '| disabled | boolean | no | Stops \\| everything |',
          '| capacity | integer | no | Number of entries |',
        ].join('\n'),
      ].join('\n\n'),
    );
    expect(at('roles').help).toContain('## Paths under this one\n\n- `/{name}` (GET, POST, DELETE): A role.');
    expect(at('roles/x').help).toContain('| key | string | no | Access key. Never shown. |');
    expect(at('roles/x').help).toContain('| ports | array of string | no |');
  });

  test.each(['unknown', 'config/x', 'roles/bad.', 'roles/a/b'])('%s has no help', (path) => {
    expect(helpOf(methodTypeNames, sampleRows, path, path)).toBeUndefined();
  });

  test('has no references to other pages', () => {
    expect(at('').see_also).toBeNull();
  });
});
