import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Provider, startProvider } from '#test/support/auth/provider.ts';
import { inSeconds, newIssuer } from '#test/support/auth/tokens.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

// Logins call no address that the operator has not allowed, whatever the configuration of a mount.
const service = serviceOf([], { KEYFERRY_NETWORK_ALLOWED: 'none' });
let provider: Provider;

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());

const blocked = 'the networking guard of the server does not let it be called (KEYFERRY_NETWORK_ALLOWED opens it)';

test('a private reviewer is not called', async () => {
  await service.ask('POST', 'sys/auth/k', { type: 'kubernetes' });
  for (const host of [provider.address, 'https://127.0.0.1', 'https://169.254.169.254', 'https://[::ffff:10.0.0.1]']) {
    const config = { kubernetes_host: host, kubernetes_ca_cert: provider.certificate, token_reviewer_jwt: 'x' };
    expect((await service.ask('POST', 'auth/k/config', config)).status).toBe(204);
    const role = { bound_service_account_names: '*', bound_service_account_namespaces: '*' };
    expect((await service.ask('POST', 'auth/k/role/r', role)).status).toBe(204);
    const about = { namespace: 'n', serviceaccount: { name: 'a', uid: 'u' } };
    const jwt = await (await newIssuer()).sign({ exp: inSeconds(60), 'kubernetes.io': about });
    const { status, errors } = await service.ask('POST', 'auth/k/login', { role: 'r', jwt });
    expect([status, errors]).toEqual([502, [`the orchestrator could not review the JWT: ${blocked}`]]);
  }
});

test('private keys are not fetched', async () => {
  await service.ask('POST', 'sys/auth/j', { type: 'jwt' });
  const config = { jwks_url: `${provider.address}/keys`, jwks_ca_pem: provider.certificate };
  const { status, errors } = await service.ask('POST', 'auth/j/config', config);
  expect([status, errors]).toEqual([400, [`error checking jwks URL: ${blocked}`]]);
  expect(provider.calls).toEqual([]);
});
