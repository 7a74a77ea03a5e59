import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { uuid } from '#core/ids.ts';
import { foundIn } from '../../support/flow/backup/dumps.ts';
import { eventually } from '../../support/flow/open-service.ts';
import { lockedWorkspace, md5Of, put, stateText, stateVersion } from '../../workspaces/support/files.ts';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { fileDevice, type Line, linesOf, removeDevices, textOf } from './log.ts';

const ground = workspaceGround();
const { service } = ground;
const newMarker = () => `marker-${uuid()}`;
const variable = (attributes: object) => ({ data: { type: 'vars', attributes } });

afterEach(async () => {
  await removeDevices(service);
  await eventually(async () => (await service.ask('GET', 'sys/mounts')).status === 200);
});

const hmac = expect.stringMatching(/^hmac-sha256:[0-9a-f]{64}$/);

/** The lines about a path of the workspace service. */
const linesAbout = async (file: string, path: string): Promise<readonly Line[]> =>
  (await linesOf(file)).filter(({ request }) => String(request['path']).startsWith(path));

describe('a request of the workspace service is recorded', () => {
  test('before it runs and before its answer is sent, with its caller, and its data as HMAC', async () => {
    const { id, user } = await lockedWorkspace(ground);
    const { file, device } = await fileDevice(service);
    const marker = newMarker();
    const attributes = { key: 'password', value: marker, sensitive: true, category: 'env' };
    const made = await ground.call('POST', `/workspaces/${id}/vars`, variable(attributes), user.token);
    expect(made.status).toBe(201);
    const [request, response, ...others] = await linesAbout(file, 'api/v2/');
    expect(others).toEqual([]);
    const { data } = await service.ask('POST', `sys/audit-hash/${device}`, { input: marker });
    expect(request).toMatchObject({
      type: 'request',
      auth: {
        client_token: hmac,
        accessor: hmac,
        display_name: user.id,
        token_type: 'user',
        metadata: { user_id: user.id },
      },
      request: {
        operation: 'create',
        path: `api/v2/workspaces/${id}/vars`,
        client_token: hmac,
        namespace: { id: 'root' },
        remote_address: '127.0.0.1',
        data: { data: { attributes: { value: data['hash'], sensitive: true } } },
      },
    });
    expect(response).toMatchObject({
      type: 'response',
      request: { id: request?.request['id'], path: `api/v2/workspaces/${id}/vars` },
      response: { data: { data: { id: hmac, attributes: { key: hmac, value: null } } } },
    });
    expect(foundIn(await textOf(file), [marker, user.token])).toEqual([]);
  });

  test('with the caller of a token of the secrets service', async () => {
    const { file } = await fileDevice(service);
    await ground.call('GET', '/account/details?page[size]=1');
    const [request, response] = await linesAbout(file, 'api/v2/account/details');
    expect(request?.auth).toMatchObject({
      policies: ['root'],
      token_type: 'service',
      metadata: { user_id: 'user-root' },
    });
    expect(request?.request['data']).toEqual({ 'page[size]': hmac });
    expect(response?.error).toBeUndefined();
  });

  test.each([
    ['without a token', 'GET', '/organizations', '', 401, 'unauthorized'],
    ['with an invalid token', 'GET', '/organizations', 'x.keyferryv1.y', 401, 'unauthorized'],
    ['for a missing resource', 'GET', '/workspaces/ws-none', undefined, 404, 'not found'],
    ['for a path that no row has', 'GET', '/nowhere', undefined, 404, 'not found'],
    ['that is not valid', 'POST', '/organizations', undefined, 422, 'invalid attribute'],
  ] as const)('when it is refused: %s', async (_what, method, path, token, status, error) => {
    const { file } = await fileDevice(service);
    const marker = newMarker();
    const body = { data: { type: 'organizations', attributes: { name: `${marker} /`, email: marker } } };
    expect((await ground.call(method, path, method === 'GET' ? undefined : body, token)).status).toBe(status);
    const lines = await linesAbout(file, `api/v2${path}`);
    expect(lines.map(({ type }) => type)).toEqual(['request', 'response']);
    expect(lines[1]?.error).toContain(error);
    expect(foundIn(await textOf(file), [marker, 'x.keyferryv1.y'])).toEqual([]);
  });

  test('including uploads and downloads at a signed address, with the owner and the length, but neither file nor signature', async () => {
    const { path, user } = await lockedWorkspace(ground);
    const { file } = await fileDevice(service);
    const text = stateText({ secret: newMarker() });
    const made = await ground.call('POST', path, stateVersion({ serial: 1, md5: md5Of(text) }), user.token);
    const upload = String(made.item.attributes['hosted-state-upload-url']);
    expect((await put(upload, text)).status).toBe(200);
    const shown = await ground.call('GET', `/state-versions/${made.item.id}`, undefined, user.token);
    const download = String(shown.item.attributes['hosted-state-download-url']);
    expect(await (await fetch(download)).text()).toBe(text);
    const lines = await linesAbout(file, 'api/v2/state-files/');
    const bytes = Buffer.byteLength(text);
    expect(lines.map(({ request }) => [request['operation'], request['data']])).toEqual([
      ...Array(2).fill(['update', { http_body_bytes: bytes }]),
      ...Array(2).fill(['read', undefined]),
    ]);
    expect(lines.map(({ response }) => response?.['data'])).toEqual([
      undefined,
      { http_received_bytes: bytes },
      undefined,
      { http_body_bytes: bytes },
    ]);
    for (const { request } of lines)
      expect(request['path']).toMatch(
        new RegExp(
          `^api/v2/state-files/(put|get)-state\\.${made.item.id}\\.\\d+\\.(user\\.${user.id}\\.)?hmac-sha256:[0-9a-f]{64}$`,
        ),
      );
    const signature = (address: string) => address.slice(address.lastIndexOf('.') + 1);
    expect(foundIn(await textOf(file), [signature(upload), signature(download), 'marker-'])).toEqual([]);
  });

  test('without any token, key or secret of the created resource in clear', async () => {
    const { organization, user, id } = await lockedWorkspace(ground);
    await sql`insert into ws_team_members (team_id, user_id) select id, ${user.id} from ws_teams where organization_id = ${organization.id} and owners`.execute(
      service.store.db,
    );
    const { file } = await fileDevice(service);
    const marker = newMarker();
    const made = await ground.call(
      'POST',
      `/organizations/${organization.name}/authentication-token`,
      undefined,
      user.token,
    );
    const token = String(made.item.attributes['token']);
    await ground.call('POST', `/organizations/${organization.name}/ssh-keys`, {
      data: { type: 'ssh-keys', attributes: { name: 'k', value: marker } },
    });
    await ground.call('POST', `/organizations/${organization.name}/oauth-clients`, {
      data: { type: 'oauth-clients', attributes: { 'service-provider': 'github', key: marker, secret: marker } },
    });
    await ground.call('POST', `/workspaces/${id}/vars`, variable({ key: 'a', value: marker, category: 'terraform' }));
    await ground.call('GET', `/workspaces/${id}/vars`);
    expect(token).toContain('keyferryv1');
    expect((await linesAbout(file, 'api/v2/')).length).toBe(10);
    expect(foundIn(await textOf(file), [marker, token, user.token])).toEqual([]);
  });

  test('except for discovery and pings, and lists with their number only where the device is configured so', async () => {
    const { id } = await lockedWorkspace(ground);
    const { file } = await fileDevice(service, { elide_list_responses: 'true' });
    await ground.call('GET', '/ping');
    await ground.call('GET', `${service.address}/.well-known/terraform.json`);
    await ground.call('GET', `/workspaces/${id}/vars`);
    const lines = (await linesOf(file)).filter(({ request }) => !String(request['path']).startsWith('sys/'));
    expect(lines).toHaveLength(2);
    expect(lines[1]?.response).toMatchObject({ data: { data: 0 } });
  });
});

describe('a request of the workspace service that no device can record', () => {
  test('fails, has no effect, and does not return its file', async () => {
    const { id, path, user } = await lockedWorkspace(ground);
    const text = stateText();
    const made = await ground.call('POST', path, stateVersion({ serial: 1, md5: md5Of(text) }), user.token);
    expect((await put(made.item.attributes['hosted-state-upload-url'], text)).status).toBe(200);
    const shown = await ground.call('GET', `/state-versions/${made.item.id}`, undefined, user.token);
    const download = String(shown.item.attributes['hosted-state-download-url']);
    const upload = await ground.call('POST', `/workspaces/${id}/configuration-versions`, {
      data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } },
    });
    const remote = createServer((socket) => socket.on('error', () => {}).resume());
    await new Promise<void>((ready) => remote.listen(0, '127.0.0.1', ready));
    const { port } = remote.address() as { port: number };
    const sockets = new Set<{ destroy(): unknown }>();
    remote.on('connection', (socket) => sockets.add(socket));
    const body = { type: 'socket', options: { address: `127.0.0.1:${port}` } };
    expect((await service.ask('POST', `sys/audit/${service.name('socket')}`, body)).status).toBe(204);
    for (const socket of sockets) socket.destroy();
    remote.close();
    await eventually(async () => (await service.ask('GET', 'sys/mounts')).status === 500);
    const variables = `/workspaces/${id}/vars`;
    const sent = variable({ key: 'undone', value: 'x', category: 'env' });
    expect((await ground.call('POST', variables, sent, user.token)).status).toBe(500);
    expect((await ground.call('GET', '/organizations', undefined, 'invalid')).status).toBe(500);
    const fetched = await fetch(download);
    expect([fetched.status, await fetched.text()]).toEqual([500, expect.not.stringContaining('lineage')]);
    expect((await put(upload.item.attributes['upload-url'], gzipSync('x'))).status).toBe(500);
    expect((await ground.call('GET', '/ping')).status).toBe(204);
    await removeDevices(service);
    await eventually(async () => (await service.ask('GET', 'sys/mounts')).status === 200);
    expect((await ground.call('GET', variables, undefined, user.token)).items).toEqual([]);
    const configuration = await ground.call('GET', `/configuration-versions/${upload.item.id}`);
    expect(configuration.item.attributes['status']).toBe('pending');
  });
});
