import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { newLoanKey } from '#store/seal/keys/loan.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { shamirService } from '#test/support/flow/shamir.ts';
import { newLogPath } from '../../audit/log.ts';

const path = 'sys/sync/unseal';

describe('with key shares', () => {
  const service = shamirService();
  let body: { readonly public_key: string };
  beforeAll(async () => {
    body = { public_key: (await newLoanKey()).publicKey };
  });
  const asRoot = (method: string, at: string, given?: unknown) => service.ask(0, method, at, given, service.rootToken);

  async function holder(policy: string): Promise<string> {
    const name = `p-${Math.random()}`;
    expect((await asRoot('PUT', `sys/policies/acl/${name}`, { policy })).status).toBe(204);
    const { body: made } = await asRoot('POST', 'auth/token/create', { policies: [name], no_default_policy: true });
    return (made['auth'] as { client_token: string }).client_token;
  }

  test('a policy with sudo on the path allows a loan; a wildcard without sudo and the default policy do not', async () => {
    const named = await holder(`path "${path}" { capabilities = ["update", "sudo"] }`);
    const { status, data } = await service.ask(0, 'POST', path, body, named);
    expect([status, Object.keys(data).sort()]).toEqual([200, ['cluster_id', 'seals', 'wrapped_root_key']]);
    for (const policy of [
      'path "sys/sync/*" { capabilities = ["create", "read", "update", "patch", "delete", "list"] }',
      `path "${path}" { capabilities = ["update"] }`,
      `path "${path}" { capabilities = ["read", "sudo"] }`,
      'path "secret/*" { capabilities = ["read"] }',
    ])
      expect((await service.ask(0, 'POST', path, body, await holder(policy))).status).toBe(403);
    for (const token of ['', 'hvs.none']) expect((await service.ask(0, 'POST', path, body, token)).status).toBe(403);
  });

  test('refuses an invalid public key and unknown fields', async () => {
    for (const bad of [{}, { public_key: 'x' }, { public_key: 'x'.repeat(5_000) }, { ...body, nonce: 'x' }])
      expect((await asRoot('POST', path, bad)).status).toBe(400);
    expect((await asRoot('GET', path)).status).toBe(405);
  });

  test('is audited with the hashes of the public key and of the wrapped key', async () => {
    const file = newLogPath();
    expect((await asRoot('POST', 'sys/audit/file', { type: 'file', options: { file_path: file } })).status).toBe(204);
    const { data } = await asRoot('POST', path, body);
    expect((await asRoot('DELETE', 'sys/audit/file')).status).toBe(204);
    const text = await readFile(file, 'utf8');
    const lines = text.split('\n').flatMap((line) => (line.includes(`"path":"${path}"`) ? [JSON.parse(line)] : []));
    expect(lines.map(({ type }) => type)).toEqual(['request', 'response']);
    expect(lines[0].request.data.public_key).toMatch(/^hmac-sha256:/);
    expect(lines[1].response.data).toEqual({
      wrapped_root_key: expect.stringMatching(/^hmac-sha256:/),
      cluster_id: expect.stringMatching(/^hmac-sha256:/),
      seals: 0,
    });
    expect(text).not.toContain(data['wrapped_root_key']);
    expect(text).not.toContain('BEGIN PUBLIC KEY');
  });

  test('counts loans and refusals', async () => {
    await asRoot('POST', path, body);
    await asRoot('POST', path, { public_key: 'x' });
    const address = `${service.addresses[0]}/v1/sys/metrics?format=prometheus`;
    const text = await (await fetch(address, { headers: { 'x-service-token': service.rootToken } })).text();
    expect(text).toMatch(/^keyferry_unseal_loans_total\{result="lent"\} [1-9]/m);
    expect(text).toMatch(/^keyferry_unseal_loans_total\{result="refused"\} [1-9]/m);
  });

  test('a sealed process returns 503', async () => {
    await asRoot('PUT', 'sys/seal', {});
    expect((await asRoot('POST', path, body)).status).toBe(503);
    await service.unseal();
    const { status, data } = await asRoot('POST', path, body);
    expect([status, data['seals']]).toEqual([200, 1]);
  });
});

describe('with the automatic seal', () => {
  const service = serviceOf([]);

  test('nothing is lent', async () => {
    const { publicKey } = await newLoanKey();
    const { status, errors } = await service.ask('POST', path, { public_key: publicKey });
    expect([status, ...errors]).toEqual([400, expect.stringContaining('automatic seal')]);
  });

  test('the path does not exist in a namespace below the root', async () => {
    await service.ask('POST', 'sys/namespaces/team', {});
    const { publicKey } = await newLoanKey();
    const headers = { 'x-service-namespace': 'team' };
    const { status, errors } = await service.ask('POST', path, { public_key: publicKey }, { headers });
    expect([status, errors]).toEqual([400, [expect.stringMatching(/in root namespace$/)]]);
  });
});
