import { expect, test } from 'vitest';
import { unknownToken, workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

test('the discovery document and the ping need no token and name the versions that clients look for', async () => {
  const discovery = await ground.call('GET', `${ground.service.address}/.well-known/terraform.json`);
  expect(discovery.body).toMatchObject({ 'tfe.v2.2': '/api/v2/' });
  const ping = await ground.call('GET', '/ping', undefined, unknownToken);
  expect(ping.status).toBe(204);
  expect(ping.headers.get('tfp-api-version')).toBe('2.6');
});

test('an unknown path is 404 with a document', async () => {
  const answer = await ground.call('GET', '/nothing');
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('application/vnd.api+json');
  expect(answer.body).toEqual({ errors: [{ status: '404', title: 'not found' }] });
});

test('the discovery document names the registry, and the address ranges are a document of empty lists', async () => {
  const discovery = await ground.call('GET', `${ground.service.address}/.well-known/terraform.json`);
  expect(discovery.body).toMatchObject({ 'modules.v1': '/api/registry/v1/modules/' });
  const ranges = await ground.call('GET', `${ground.service.address}/api/meta/ip-ranges`, undefined, unknownToken);
  expect(ranges.status).toBe(200);
  expect(ranges.body).toEqual({ api: [], notifications: [], sentinel: [], vcs: [] });
  const nothing = await ground.call('GET', `${ground.service.address}/api/meta/nothing`);
  expect([nothing.status, nothing.body]).toEqual([404, { errors: [{ status: '404', title: 'not found' }] }]);
});
