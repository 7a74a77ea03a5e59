import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);
const at = 'sys/sync/destinations/cloud-z/some';
const association = { mount: 'secret', secret_name: 'app' };
const types = definitions.map(({ type }) => type).sort();
const known = `type must be one of ${types.join(', ')}`;

const requests: readonly { readonly method: string; readonly path: string; readonly body?: object }[] = [
  { method: 'POST', path: at, body: { region: 'eu-1' } },
  { method: 'PUT', path: at, body: {} },
  { method: 'PATCH', path: at, body: { region: 'eu-1' } },
  { method: 'GET', path: at },
  { method: 'DELETE', path: at },
  { method: 'DELETE', path: `${at}?purge=true` },
  { method: 'LIST', path: 'sys/sync/destinations/cloud-z' },
  { method: 'GET', path: `${at}/associations` },
  { method: 'POST', path: `${at}/associations/set`, body: association },
  { method: 'POST', path: `${at}/associations/remove`, body: association },
  { method: 'POST', path: 'sys/sync/replay', body: { type: 'cloud-z' } },
];

/** The order of the types does not matter. */
const sorted = (text: string) =>
  text.replace(
    /type must be one of (.*)$/,
    (_all, names: string) => `type must be one of ${names.split(', ').sort().join(', ')}`,
  );

describe('an unknown destination type', () => {
  test.each(requests)(
    'is refused by $method $path, with the names of the known types',
    async ({ method, path, body }) => {
      const { status, errors } = await service.ask(method, path, body);
      expect(status).toBe(400);
      expect(errors.map(sorted)).toEqual([`unknown destination type "cloud-z": ${known}`]);
    },
  );

  test('is refused with the names in the vocabulary of the caller', async () => {
    const headers = { 'x-service-token': undefined, 'x-vault-token': service.rootToken };
    const { status, errors } = await service.ask('POST', at, {}, { headers });
    expect(status).toBe(400);
    expect(errors.join()).toContain('aws-sm');
    expect(errors.join()).not.toContain('cloud-a-sm');
  });

  test('reveals nothing to a caller without rights', async () => {
    const { body } = await service.ask('POST', 'auth/token/create', { policies: ['default'], ttl: '1h' });
    const { client_token } = Object(body['auth']);
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const answer = await service.ask(method, at, method === 'GET' ? undefined : {}, {
        headers: { 'x-service-token': client_token },
      });
      expect(answer.status).toBe(403);
    }
  });

  test('does not affect known types: a missing destination is a 404', async () => {
    expect((await service.ask('GET', 'sys/sync/destinations/cloud-a-sm/missing')).status).toBe(404);
    expect((await service.ask('GET', 'sys/sync/destinations/aws-sm/missing')).status).toBe(404);
  });
});
