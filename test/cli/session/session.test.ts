import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { expect, onTestFinished, test } from 'vitest';
import { runLine } from '../../support/cli/line.ts';
import { serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf([]);

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'keyferry-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

const stored = (home: string) => readFile(join(home, '.vault-token'), 'utf8');

test('a login by token stores it, whoami shows its holder, and logout revokes and forgets it', async () => {
  const home = await newHome();
  const at = { address: service.address, home };
  const { body } = await service.ask('POST', 'auth/token/create', { policies: ['default'] });
  const token = (body['auth'] as { client_token: string }).client_token;
  const login = await runLine(['login'], { ...at, input: `${token}\n` });
  expect(login).toMatchObject({ code: 0, output: expect.stringContaining('default') });
  expect(await stored(home)).toBe(token);
  const who = await runLine(['whoami', '-o', 'json'], at);
  expect(JSON.parse(who.output)).toMatchObject({ path: 'auth/token/create', policies: ['default'] });
  const may = await runLine(['whoami', 'secret/data/a', '-o', 'ndjson'], at);
  expect(may.output).toBe('{"path":"secret/data/a","capabilities":["deny"]}\n');
  const logout = await runLine(['logout'], at);
  expect(logout).toMatchObject({ code: 0, output: '' });
  for (const { output, errors } of [login, who, may, logout]) expect(output + errors).not.toContain(token);
  await expect(stored(home)).rejects.toThrow('ENOENT');
  expect(await runLine(['whoami'], { ...at, token })).toMatchObject({
    code: 4,
    errors: expect.stringContaining('next: keyferry login'),
  });
  expect((await runLine(['whoami'], at)).code).toBe(4);
});

test('a token that the server does not know is refused, is not stored, and is not shown', async () => {
  const home = await newHome();
  const login = await runLine(['login'], { address: service.address, home, input: 'hvs.unknown-token\n' });
  expect(login.code).toBe(4);
  expect(login.output + login.errors).not.toContain('hvs.unknown-token');
  await expect(stored(home)).rejects.toThrow('ENOENT');
});

test('a variable that wins over the stored token is named', async () => {
  const { address, rootToken } = service;
  const options = { address, home: await newHome(), input: rootToken, environment: { VAULT_TOKEN: rootToken } };
  expect((await runLine(['login'], options)).errors).toContain('unset VAULT_TOKEN');
});

/** A user whose logins need a code, and the generator of the codes. Each code is good once. */
async function userWithCodes() {
  const mount = service.name('people');
  await service.api.write(`sys/auth/${mount}`, { type: 'userpass' });
  await service.api.write(`auth/${mount}/users/ada`, { password: 'correct horse' });
  const first = await service.ask('POST', `auth/${mount}/login/ada`, { password: 'correct horse' });
  const entity_id = (first.body['auth'] as { entity_id: string }).entity_id;
  const method = service.name('phone');
  const settings = { method_name: method, issuer: 'Keyferry', period: 30, skew: 1, digits: 6 };
  const { method_id } = await service.api.write<{ method_id: string }>('identity/mfa/method/totp', settings);
  const { url } = await service.api.write<{ url: string }>('identity/mfa/method/totp/admin-generate', {
    method_id,
    entity_id,
  });
  const mounts = await service.api.read<Record<string, { accessor: string }>>('sys/auth');
  await service.api.write(`identity/mfa/login-enforcement/${mount}`, {
    mfa_method_ids: [method_id],
    auth_method_accessors: [mounts[`${mount}/`]?.accessor],
  });
  const secret = new URL(url).searchParams.get('secret') ?? '';
  return { mount, method, code: () => new TOTP({ secret }).generate() };
}

const userpass = (mount: string, ...more: readonly string[]) => [
  'login',
  '--method',
  'userpass',
  '--mount',
  mount,
  '--username',
  'ada',
  ...more,
];

test('a login that waits for a code asks for it', async () => {
  const { mount, code } = await userWithCodes();
  const home = await newHome();
  const login = await runLine(userpass(mount), { address: service.address, home, input: `correct horse\n${code()}\n` });
  expect(login).toMatchObject({ code: 0, output: expect.stringContaining(`auth/${mount}/login/ada`) });
  expect(login.output + login.errors).not.toContain(await stored(home));
});

test('a code may come with the login', async () => {
  const { mount, method, code } = await userWithCodes();
  const input = `correct horse\n${code()}\n`;
  const login = await runLine(userpass(mount, '--mfa', method, '--print-token'), { address: service.address, input });
  expect(login).toMatchObject({ code: 0, errors: '' });
  expect(login.output).toMatch(/^hvs\.\S+\n$/);
});

test('a wrong password is refused without being shown, and so is a login without input', async () => {
  const { mount } = await userWithCodes();
  const wrong = await runLine(userpass(mount), { address: service.address, input: 'wrong battery' });
  expect(wrong.code).toBe(1);
  expect(wrong.output + wrong.errors).not.toContain('wrong battery');
  expect(await runLine(userpass(mount), { address: service.address })).toMatchObject({
    code: 2,
    errors: expect.stringContaining('there is no terminal to ask for "Password"'),
  });
});

test('a login by AppRole reads the secret id', async () => {
  const mount = service.name('ci');
  await service.api.write(`sys/auth/${mount}`, { type: 'approle' });
  await service.api.write(`auth/${mount}/role/deploy`, { token_policies: ['default'] });
  const { role_id } = await service.api.read<{ role_id: string }>(`auth/${mount}/role/deploy/role-id`);
  const { secret_id } = await service.api.write<{ secret_id: string }>(`auth/${mount}/role/deploy/secret-id`, {});
  const argv = ['login', '--method', 'approle', '--mount', mount, '--role-id', role_id];
  const home = await newHome();
  expect(await runLine(argv, { address: service.address, home, input: secret_id })).toMatchObject({ code: 0 });
  expect(await stored(home)).toMatch(/^hvs\./);
});
