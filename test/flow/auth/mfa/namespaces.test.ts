import { type TOTP, URI } from 'otpauth';
import { expect, test } from 'vitest';
import { ask } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { spaceOf } from '../../namespaces/spaces.ts';

const service = serviceOf([]);

const data = (body: Readonly<Record<string, unknown>>) => body['data'] as Readonly<Record<string, string>>;

test('an enforcement applies in the namespaces below, with the methods of its own namespace', async () => {
  const [space, beside] = [await spaceOf(service), await spaceOf(service)];
  const below = await spaceOf(service, space);
  for (const one of [below, beside]) {
    await one.ask('POST', 'sys/auth/userpass', { type: 'userpass' });
    await one.ask('POST', 'auth/userpass/users/ann', { password: 'open sesame' });
  }
  await space.ask('POST', 'sys/auth/userpass', { type: 'userpass' });
  const login = async ({ path }: { readonly path: string }, headers: Readonly<Record<string, string>> = {}) =>
    (
      await ask({
        address: service.address,
        token: '',
        method: 'POST',
        path: 'auth/userpass/login/ann',
        body: { password: 'open sesame' },
        headers: { 'x-service-namespace': path, ...headers },
      })
    ).body['auth'] as { readonly client_token: string; readonly entity_id: string } | undefined;
  const entity_id = (await login(below))?.entity_id;

  const method = await space.ask('POST', 'identity/mfa/method/totp', { issuer: 'keyferry', method_name: 'phone' });
  const { method_id = '' } = data(method.body);
  const enforcement = { mfa_method_ids: [method_id], auth_method_types: ['userpass'] };
  expect((await space.ask('POST', 'identity/mfa/login-enforcement/all', enforcement)).status).toBe(204);

  expect((await login(below))?.client_token).toBe('');
  expect((await login(beside))?.client_token).not.toBe('');
  const made = await below.ask('POST', 'identity/mfa/method/totp/admin-generate', { method_id, entity_id });
  expect(made.status).toBe(200);
  const totp = URI.parse(data(made.body)['url'] ?? '') as TOTP;
  const let_in = await login(below, { 'x-service-mfa': `${method_id}:${totp.generate()}` });
  expect(let_in?.client_token).not.toBe('');
  const foreign = await beside.ask('POST', 'identity/mfa/method/totp/admin-generate', { method_id, entity_id });
  expect(foreign.status).toBe(400);
});
