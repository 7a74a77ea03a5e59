import { describe, expect, test } from 'vitest';
import { asking, denied, holderOf, tokenOf } from '#test/support/flow/holders.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);

describe('the rights of a token', () => {
  test('are those that its policies grant', async () => {
    const name = await service.secret({ a: '1' });
    const { ask } = await holderOf(service, `path "secret/data/${name}" { capabilities = ["read"] }`);
    expect(await ask('GET', `secret/data/${name}`)).toMatchObject({ status: 200, data: { data: { a: '1' } } });
    expect(await ask('POST', `secret/data/${name}`, { data: { a: '2' } })).toMatchObject(denied);
    expect(await ask('GET', `secret/data/${name}-other`)).toMatchObject(denied);
    expect(await ask('GET', 'no/such/mount')).toMatchObject(denied);
    expect(await ask('GET', 'sys/no-such-path')).toMatchObject(denied);
    expect(await ask('GET', 'auth/token/lookup-self')).toMatchObject(denied);
  });

  test('change with its policy at the next request', async () => {
    const policy = service.name('policy');
    const write = (capability: string) =>
      service.ask('POST', `sys/policies/acl/${policy}`, {
        policy: `path "secret/data/changing" { capabilities = ["${capability}"] }`,
      });
    const ask = asking(service, await tokenOf(service, [policy]));
    const read = async () => (await ask('GET', 'secret/data/changing')).status;
    expect(await read()).toBe(403);
    await write('read');
    expect(await read()).toBe(404);
    await write('deny');
    expect(await read()).toBe(403);
    await write('read');
    expect(await read()).toBe(404);
    expect(await service.ask('DELETE', `sys/policies/acl/${policy}`)).toMatchObject({ status: 204 });
    expect(await read()).toBe(403);
  });

  test('by the policy default include its own token, unless the policy is changed', async () => {
    const ask = asking(service, await tokenOf(service, ['default'], { no_default_policy: false }));
    expect(await ask('GET', 'auth/token/lookup-self')).toMatchObject({ status: 200 });
    expect(await ask('GET', 'sys/internal/ui/resultant-acl')).toMatchObject({ status: 200, data: { root: false } });
    expect(await ask('GET', 'secret/data/a')).toMatchObject(denied);
    const before = (await service.ask('GET', 'sys/policies/acl/default')).data['policy'];
    await service.ask('PUT', 'sys/policies/acl/default', { policy: 'path "secret/data/a" { policy = "read" }' });
    expect(await ask('GET', 'secret/data/a')).toMatchObject({ status: 404 });
    expect(await ask('GET', 'auth/token/lookup-self')).toMatchObject(denied);
    await service.ask('PUT', 'sys/policies/acl/default', { policy: before });
  });

  test('include sudo for paths that need it', async () => {
    const { ask: plain } = await holderOf(service, 'path "sys/rotate" { capabilities = ["update"] }');
    expect(await plain('POST', 'sys/rotate')).toMatchObject(denied);
    const { ask: trusted } = await holderOf(service, 'path "sys/rotate" { capabilities = ["update", "sudo"] }');
    expect(await trusted('POST', 'sys/rotate')).toMatchObject({ status: 204 });
  });

  test('distinguish create and update of a secret', async () => {
    const name = service.name('secret');
    const paths = `path "secret/data/${name}" { capabilities = ["create"] }`;
    const { ask } = await holderOf(service, paths);
    expect(await ask('POST', `secret/data/${name}`, { data: {} })).toMatchObject({ status: 200 });
    expect(await ask('POST', `secret/data/${name}`, { data: {} })).toMatchObject(denied);
  });

  test('do not include those of a rule whose MFA methods cannot be passed', async () => {
    const { ask } = await holderOf(service, 'path "secret/data/a" { capabilities = ["read"] mfa_methods = ["phone"] }');
    const notPassed = { status: 403, errors: ['MFA credentials not supplied or incorrect'] };
    expect(await ask('GET', 'secret/data/a')).toMatchObject(notPassed);
  });

  test('are the same with the alias of a type', async () => {
    const read = async (text: string, path: string) => (await (await holderOf(service, text)).ask('GET', path)).status;
    const grant = (pattern: string) => `path "sys/sync/destinations/${pattern}" { capabilities = ["read"] }`;
    const deny = (pattern: string) =>
      `path "sys/*" { capabilities = ["read"] } path "${pattern}" { capabilities = ["deny"] }`;
    for (const path of ['sys/sync/destinations/cloud-a-sm/x', 'sys/sync/destinations/aws-sm/x']) {
      expect(await read(grant('aws-sm/x'), path)).toBe(404);
      expect(await read(grant('cloud-a-sm/*'), path)).toBe(404);
      expect(await read(grant('aws*'), path)).toBe(404);
      expect(await read(grant('azure*'), path)).toBe(403);
      expect(await read(deny('sys/sync/destinations/aws*'), path)).toBe(403);
      expect(await read(deny('sys/+/destinations/aws-sm/x'), path)).toBe(403);
    }
  });
});

describe('sys/policies/acl', () => {
  test('returns exactly what was written', async () => {
    const policy = '# mine\npath "a/*" { capabilities = ["list"] }  ';
    expect(await service.ask('PUT', 'sys/policies/acl/verbatim', { policy })).toMatchObject({ status: 204, text: '' });
    expect((await service.ask('GET', 'sys/policies/acl/verbatim')).data).toEqual({ name: 'verbatim', policy });
    const { data } = await service.ask('LIST', 'sys/policies/acl');
    expect(data['keys']).toEqual(expect.arrayContaining(['default', 'root', 'verbatim']));
    expect(data['keys']).not.toContain('response-wrapping');
    expect(await service.ask('DELETE', 'sys/policies/acl/verbatim')).toMatchObject({ status: 204 });
    expect(await service.ask('DELETE', 'sys/policies/acl/verbatim')).toMatchObject({ status: 204 });
    expect(await service.ask('GET', 'sys/policies/acl/verbatim')).toMatchObject({ status: 404, errors: [] });
  });

  test('accepts base64 and names with slashes, and converts names to lower case with a warning', async () => {
    const policy = 'path "a" { capabilities = ["read"] }';
    const encoded = Buffer.from(policy).toString('base64');
    const written = await service.ask('POST', 'sys/policies/acl/Team/Lead', { policy: encoded });
    expect(written).toMatchObject({ status: 200, warnings: [expect.stringContaining('team/lead')] });
    expect((await service.ask('GET', 'sys/policies/acl/TEAM/lead')).data).toEqual({ name: 'team/lead', policy });
  });

  test.each([
    ['POST', 'x', {}, "'policy' parameter not supplied or empty"],
    ['POST', 'x', { policy: '' }, "'policy' parameter not supplied or empty"],
    [
      'POST',
      'x',
      { policy: 'path "a" {\n  capabilities = ["fly"]\n}' },
      'line 2, column 18: path "a": invalid capability "fly"',
    ],
    ['POST', 'x', { policy: 'path "a+*" {}' }, 'failed to parse policy: '],
    ['POST', 'x', { policy: 'path "a/+*" {}' }, 'failed to parse policy: '],
    ['POST', 'x', { policy: { a: 1 } }, 'policy'],
    ['POST', 'x', { policy: ['a'] }, 'policy'],
    ['POST', 'x', { policy: '/////w==' }, 'not UTF-8'],
    ['POST', 'x', { policy: '# \0\npath "a" {}' }, 'U+0000'],
    ['POST', 'root', { policy: 'path "a" {}' }, 'cannot update "root" policy'],
    ['POST', 'Root', { policy: 'path "a" {}' }, 'cannot update "root" policy'],
    ['POST', 'response-wrapping', { policy: 'path "a" {}' }, 'cannot update "response-wrapping" policy'],
    ['DELETE', 'root', undefined, 'cannot delete "root" policy'],
    ['DELETE', 'default', undefined, 'cannot delete default policy'],
  ])('%s %s %j is refused', async (method, name, body, text) => {
    const answer = await service.ask(method, `sys/policies/acl/${encodeURIComponent(name)}`, body);
    expect(answer.status).toBe(400);
    expect(answer.errors.join()).toContain(text);
  });

  test('a text or a name that is too long is refused', async () => {
    const policy = 'path "a" {}';
    const long = await service.ask('POST', `sys/policies/acl/${encodeURIComponent('é'.repeat(300))}`, { policy });
    expect(long).toMatchObject({ status: 400, errors: [expect.stringContaining('longer than 512 bytes')] });
    const padded = `${policy}${' '.repeat(1_048_576)}`;
    expect((await service.ask('POST', 'sys/policies/acl/long', { policy: padded })).status).toBe(413);
  });
});

describe('sys/policy', () => {
  test('is the same for older clients', async () => {
    const rules = 'path "a" { policy = "write" }';
    expect(await service.ask('PUT', 'sys/policy/former', { rules })).toMatchObject({
      status: 200,
      warnings: [expect.stringContaining("'rules' is deprecated")],
    });
    expect(await service.ask('PUT', 'sys/policy/former', { policy: rules })).toMatchObject({ status: 204 });
    expect((await service.ask('GET', 'sys/policy/former')).data).toEqual({ name: 'former', rules });
    for (const [method, path] of [
      ['GET', 'sys/policy'],
      ['GET', 'sys/policy/'],
      ['LIST', 'sys/policy'],
    ] as const) {
      const { data, body } = await service.ask(method, path);
      expect(data['keys']).toContain('former');
      expect(body).toMatchObject({ keys: data['keys'], policies: data['keys'] });
      expect(data['policies']).toEqual(data['keys']);
    }
    expect(await service.ask('DELETE', 'sys/policy/former')).toMatchObject({ status: 204 });
    expect(await service.ask('GET', 'sys/policy/former')).toMatchObject({ status: 404 });
  });
});
