import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
const at = (type: string, name: string) => `sys/sync/destinations/${type}/${name}`;
const marker = 'marker-of-a-credential';

const refused = async (type: string, change: object, method = 'POST', name = service.name('refused')) => {
  const answer = await service.ask(method, at(type, name), { ...service.fake(type).destination, ...change });
  expect(answer.status).toBe(400);
  expect(answer.text).not.toContain(marker);
  return answer;
};

describe('a refused destination has its problems by field beside the texts', () => {
  test.each([
    ['workspace-vars', { workspace_id: 'a b' }, ['workspace_id']],
    ['workspace-vars', { hcl: true, category: 'env' }, ['hcl', 'category']],
    ['cloud-a-sm', { secret_access_key: '' }, ['access_key_id', 'secret_access_key']],
    ['cloud-a-sm', { custom_tags: { 'aws:own': 'x' } }, ['custom_tags']],
    ['cloud-a-sm', { granularity: 'file' }, ['granularity']],
    ['cloud-a-sm', { secret_name_template: '{{ .Nothing }}' }, ['secret_name_template']],
    ['cloud-b-kv', { tenant_id: '/' }, ['tenant_id']],
    ['cloud-b-kv', { client_secret: [[marker]] }, ['client_secret']],
    ['cloud-c-sm', { credentials: `{"type":"${marker}"}` }, ['credentials']],
    ['cloud-c-sm', { kms_key_id: 'x', global_kms_key: 'y' }, ['kms_key_id', 'global_kms_key']],
    ['repo-host', { access_token: `${marker} \n` }, ['access_token']],
    ['repo-host', { enterprise_url: 'https://git.example.com' }, ['endpoint', 'enterprise_url']],
    ['repo-host', { app_name: 'none', installation_id: 1, access_token: '' }, ['app_name']],
    ['deploy-host-project', { deployment_environments: ['x'] }, ['deployment_environments']],
    [
      'deploy-host-project',
      { allowed_ports: [0], allowed_ipv4_addresses: 'x' },
      ['allowed_ipv4_addresses', 'allowed_ports'],
    ],
    ['deploy-host-project', { Team_Id: 'x', team_id: 'y' }, ['team_id']],
    ['deploy-host-project', { kms_key_arn: 'x' }, ['kms_key_arn']],
    ['deploy-host-project', { project_id: undefined, access_token: '****' }, ['project_id']],
    ['deploy-host-project', { access_token: '****' }, ['access_token']],
  ])('%s %j', async (type, change, fields) => {
    const { body, errors } = await refused(type, change);
    const problems = body['problems'] as readonly { readonly field: string; readonly message: string }[];
    expect(problems.map(({ field }) => field)).toEqual(fields);
    for (const { message } of problems) expect(errors.join()).toContain(message === 'required' ? 'missing' : message);
  });

  test('also for what depends on the stored destination', async () => {
    const name = await service.destination('cloud-b-kv');
    const fixed = await refused('cloud-b-kv', { tenant_id: 'other' }, 'POST', name);
    expect(fixed.body['problems']).toEqual([{ field: 'tenant_id', message: fixed.errors[0] }]);
    const moved = await service.ask('PATCH', at('cloud-b-kv', name), { endpoint: 'https://10.0.0.1' });
    expect(moved.body['problems']).toEqual([{ field: 'client_secret', message: moved.errors[0] }]);
  });
});

test('a refused association, replay or deletion names the field', async () => {
  const name = await service.destination('cloud-a-sm');
  const fieldsOf = async (method: string, path: string, body?: object) => {
    const answer = await service.ask(method, path, body);
    expect(answer.status).toBe(400);
    return (answer.body['problems'] as readonly { readonly field: string }[]).map(({ field }) => field);
  };
  const set = `${at('cloud-a-sm', name)}/associations/set`;
  expect(await fieldsOf('POST', set, { mount: 'secret' })).toEqual(['secret_name']);
  expect(await fieldsOf('POST', set, { mount: 'secret', secret_name: 'folder/' })).toEqual(['secret_name']);
  expect(await fieldsOf('POST', set, { mount: 'sys', secret_name: 'x' })).toEqual(['mount']);
  expect(await fieldsOf('POST', set, { mount: 'secret', secret_name: 'x', adpot: true })).toEqual(['adpot']);
  expect(await fieldsOf('POST', 'sys/sync/replay', { sync_status: 'BAD' })).toEqual(['sync_status']);
  expect(await fieldsOf('DELETE', `${at('cloud-a-sm', name)}?purgee=true`)).toEqual(['purgee']);
  expect(await fieldsOf('LIST', 'sys/sync/destinations/none')).toEqual(['type']);
});

test('a refusal that concerns no field has no problems', async () => {
  expect((await service.ask('POST', 'sys/sync/config', undefined, { raw: '{' })).body).toEqual({
    errors: [expect.any(String)],
  });
});

test('fields of the alias vocabulary are named as its clients know them', async () => {
  await service.ask('POST', 'sys/auth/pods', { type: 'orchestrator' });
  const write = (headers = {}) => service.ask('POST', 'auth/pods/config', { orchestrator_host: [[]] }, { headers });
  const fieldsOf = ({ body }: Awaited<ReturnType<typeof write>>) => Object(body['problems'])[0]?.field;
  expect(fieldsOf(await write())).toBe('orchestrator_host');
  expect(fieldsOf(await write({ 'x-vault-request': 'true' }))).toBe('kubernetes_host');
});
