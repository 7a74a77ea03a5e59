import { expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
const at = (type: string, name: string) => `sys/sync/destinations/${type}/${name}`;
const role = (account: string, name: string) => `arn:aws:iam::${account}:role/${name}`;

test('the role of a destination may change only within its account', async () => {
  const type = 'cloud-a-sm';
  const name = await service.destination(type, { role_arn: role('111122223333', 'one') });
  const path = at(type, name);
  const other = { role_arn: role('444455556666', 'one') };
  for (const [method, body] of [
    ['PATCH', other],
    ['POST', { ...service.fake(type).destination, ...other }],
  ] as const) {
    const { status, errors } = await service.ask(method, path, body);
    expect({ method, status }).toEqual({ method, status: 400 });
    expect(errors.join()).toContain('the account of role_arn cannot be changed');
  }
  expect((await service.ask('PATCH', path, { role_arn: role('111122223333', 'two') })).status).toBe(200);
});

test('credentials of another project are refused, and a new key of the same project is accepted', async () => {
  const type = 'cloud-c-sm';
  const name = await service.destination(type);
  const key = JSON.parse(String(service.fake(type).destination['credentials']));
  const credentials = (changes: object) => ({ credentials: JSON.stringify({ ...key, ...changes }) });
  const { status, errors } = await service.ask('PATCH', at(type, name), credentials({ project_id: 'another-project' }));
  expect(status).toBe(400);
  expect(errors.join()).toContain('the project of credentials cannot be changed');
  expect((await service.ask('PATCH', at(type, name), credentials({ private_key_id: '2' }))).status).toBe(200);
});

test('credentials of another project are accepted if project_id names the project of the secrets', async () => {
  const type = 'cloud-c-sm';
  const key = JSON.parse(String(service.fake(type).destination['credentials']));
  const name = await service.destination(type, { project_id: key.project_id });
  const credentials = JSON.stringify({ ...key, project_id: 'another-project' });
  expect((await service.ask('PATCH', at(type, name), { credentials })).status).toBe(200);
});
