import { rename, rm } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { asking, tokenOf } from '../../support/flow/holders.ts';
import { serviceOf } from '../../support/flow/open-service.ts';
import { disable, fileDevice, type Line, linesOf, textOf } from './log.ts';

const service = serviceOf([]);
const hmac = expect.stringMatching(/^hmac-sha256:[0-9a-f]{64}$/);
const enabled: string[] = [];

async function enable(options: Readonly<Record<string, string>> = {}) {
  const one = await fileDevice(service, options);
  enabled.push(one.device);
  return one;
}

afterEach(async () => {
  for (const device of enabled.splice(0)) await disable(service, device);
});

const about = (lines: readonly Line[], path: string) => lines.filter(({ request }) => request['path'] === path);

describe('a file', () => {
  test('gets a test line, and then a line for each request and each reply', async () => {
    const { file } = await enable();
    await service.ask('POST', 'secret/data/app', {
      data: { user: 'marker-user', port: 12345678901234567890n.toString() },
    });
    const read = await service.ask('GET', 'secret/data/app');
    const lines = await linesOf(file);
    expect(lines[0]).toMatchObject({ type: 'request', request: { path: 'sys/audit/test', operation: 'update' } });
    const [asked, answered] = about(lines, 'secret/data/app').slice(-2);
    expect(asked).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      type: 'request',
      auth: {
        client_token: hmac,
        accessor: hmac,
        display_name: 'root',
        policies: ['root'],
        token_policies: ['root'],
        policy_results: {
          allowed: true,
          granting_policies: [{ type: 'acl', name: 'root', namespace_id: 'root' }],
        },
        token_type: 'service',
        token_ttl: 0,
        token_issue_time: expect.any(String),
      },
      request: {
        id: read.body['request_id'],
        operation: 'read',
        mount_point: 'secret/',
        mount_type: 'kv',
        mount_accessor: expect.stringMatching(/^kv_/),
        mount_class: 'secret',
        client_token: hmac,
        client_token_accessor: hmac,
        namespace: { id: 'root', path: '' },
        path: 'secret/data/app',
        remote_address: '127.0.0.1',
        remote_port: expect.any(Number),
      },
    });
    expect(answered).toMatchObject({
      type: 'response',
      auth: asked?.auth,
      request: asked?.request,
      response: {
        mount_point: 'secret/',
        data: { data: { user: hmac, port: hmac }, metadata: { version: 1, destroyed: false, created_time: hmac } },
      },
    });
    expect(JSON.stringify(lines)).not.toContain('marker-user');
  });

  test('shows refusals with their error, and callers by the same HMAC as sys/audit-hash', async () => {
    const { file, device } = await enable();
    const denied = await service.ask('GET', 'secret/data/app', undefined, { headers: { 'x-service-token': 'wrong' } });
    expect(denied.status).toBe(403);
    const { data } = await service.ask('POST', `sys/audit-hash/${device}`, { input: 'wrong' });
    const [asked, answered] = about(await linesOf(file), 'secret/data/app');
    expect(asked).toMatchObject({ type: 'request', auth: {}, request: { client_token: data['hash'] } });
    expect(asked?.error).toContain('permission denied');
    expect(answered).toMatchObject({ type: 'response', error: asked?.error });
  });

  test('names the policies that allowed a request, with their namespaces', async () => {
    const { file } = await enable();
    const rule = (path: string, capability: string) => `path "${path}" { capabilities = ["${capability}"] }`;
    const policies = {
      reader: rule('secret/data/granted/*', 'read'),
      writer: rule('secret/data/granted/*', 'update'),
      both: `${rule('secret/data/granted/*', 'read')} ${rule('secret/data/else', 'read')}`,
    };
    for (const [name, policy] of Object.entries(policies)) await service.ask('POST', `sys/policy/${name}`, { policy });
    const ask = asking(service, await tokenOf(service, Object.keys(policies)));
    await ask('GET', 'secret/data/granted/x');
    await ask('DELETE', 'secret/data/granted/x');
    const [asked, , refused] = about(await linesOf(file), 'secret/data/granted/x');
    const granting = ['both', 'reader'].map((name) => ({ type: 'acl', name, namespace_id: 'root' }));
    expect(asked?.auth['policy_results']).toEqual({ allowed: true, granting_policies: granting });
    expect(refused?.auth['policy_results']).toEqual({ allowed: false, reason: expect.any(String) });
  });

  test('keeps numbers digit by digit, booleans, nulls and keys', async () => {
    const { file, device } = await enable();
    const raw = '{"data":{"n":123456789012345678901234567890,"f":1.0,"b":true,"z":null,"list":["x",{"deep":"y"}]}}';
    expect((await service.ask('POST', 'secret/data/digits', undefined, { raw })).status).toBe(200);
    await service.ask('GET', 'secret/data/digits');
    const text = await textOf(file);
    expect(text.match(/"n":123456789012345678901234567890,"f":1\.0,"b":true,"z":null,/g)).toHaveLength(3);
    const { data } = await service.ask('POST', `sys/audit-hash/${device}`, { input: 'y' });
    expect(about(await linesOf(file), 'secret/data/digits')[0]?.request['data']).toMatchObject({
      data: { list: [hmac, { deep: data['hash'] }] },
    });
  });

  test('leaves members in clear that the mount lists', async () => {
    const { file } = await enable();
    await service.ask('POST', 'sys/mounts/named', { type: 'kv', options: { version: '1' } });
    await service.ask('POST', 'sys/mounts/named/tune', {
      audit_non_hmac_request_keys: 'team',
      audit_non_hmac_response_keys: ['owner'],
    });
    await service.ask('POST', 'named/x', { team: 'blue', owner: 'ann' });
    await service.ask('GET', 'named/x');
    const [write, , , read] = about(await linesOf(file), 'named/x');
    expect(write?.request['data']).toEqual({ team: 'blue', owner: hmac });
    expect(read?.response?.['data']).toEqual({ team: hmac, owner: 'ann' });
  });

  test('does not record monitoring requests', async () => {
    const { file } = await enable();
    for (const path of ['sys/health', 'sys/seal-status', 'sys/leader', 'sys/init']) await service.ask('GET', path);
    expect((await linesOf(file)).filter(({ type }) => type === 'request')).toHaveLength(1);
  });

  test('with log_raw, a prefix, clear accessors and short listings', async () => {
    const { file } = await enable({ log_raw: 'true', prefix: 'audit: ' });
    const other = await enable({ hmac_accessor: 'false', elide_list_responses: 'true' });
    await service.ask('POST', 'secret/data/raw/a', { data: { user: 'clear-text' } });
    await service.ask('LIST', 'secret/metadata/raw');
    const text = await textOf(file);
    expect(
      text
        .split('\n')
        .slice(0, -1)
        .every((line) => line.startsWith('audit: {')),
    ).toBe(true);
    expect(text).toContain('clear-text');
    const self = await service.ask('GET', 'auth/token/lookup-self');
    const lines = await linesOf(other.file);
    expect(lines.at(-1)?.auth['accessor']).toBe(self.data['accessor']);
    const list = about(lines, 'secret/metadata/raw/').at(-1);
    expect(list).toMatchObject({ request: { operation: 'list' }, response: { data: { keys: 1 } } });
  });

  test('gets complete lines of a hundred concurrent requests, each request before its reply', async () => {
    const { file } = await enable();
    await Promise.all(Array.from({ length: 100 }, (_, index) => service.ask('GET', `secret/data/many/${index}`)));
    const lines = about200(await linesOf(file));
    expect(lines).toHaveLength(200);
    for (let index = 0; index < 100; index += 1) {
      const own = lines.filter(({ request }) => request['path'] === `secret/data/many/${index}`);
      expect(own.map(({ type }) => type)).toEqual(['request', 'response']);
    }
  });

  test('that is moved away or removed is created again; nothing is lost over a rotation', async () => {
    const { file } = await enable();
    await service.ask('GET', 'secret/data/first');
    await rename(file, `${file}.1`);
    const asking = Promise.all(
      Array.from({ length: 60 }, (_, index) => service.ask('GET', `secret/data/turn/${index}`)),
    );
    service.reload();
    await asking;
    await service.ask('GET', 'secret/data/last');
    const [before, after] = [await linesOf(`${file}.1`), await linesOf(file)];
    expect(about(before, 'secret/data/first')).toHaveLength(2);
    expect(about(after, 'secret/data/last')).toHaveLength(2);
    const turned = [...before, ...after].filter(({ request }) =>
      String(request['path']).startsWith('secret/data/turn/'),
    );
    expect(turned).toHaveLength(120);
    await rm(file);
    service.reload();
    await service.ask('GET', 'secret/data/again');
    expect(about(await linesOf(file), 'secret/data/again')).toHaveLength(2);
  });
});

const about200 = (lines: readonly Line[]) =>
  lines.filter(({ request }) => String(request['path']).startsWith('secret/data/many/'));
