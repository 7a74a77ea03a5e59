import { createRemoteJWKSet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { documentOf } from '../support/documents.ts';
import { workspaceGround } from '../support/ground.ts';
import { jobOf, poolOf } from './agent-jobs/pool-of.ts';

const ground = workspaceGround();

/** A run that an agent plans, in a workspace whose runs get tokens for these audiences. */
async function planOf(audiences: Readonly<Record<string, string>>) {
  const stage = await poolOf(ground);
  for (const [tag, value] of Object.entries(audiences)) {
    const key = `TFC_WORKLOAD_IDENTITY_AUDIENCE${tag}`;
    const variable = documentOf('vars', { key, value, category: 'env' });
    expect((await ground.call('POST', `/workspaces/${stage.workspace.id}/vars`, variable)).status).toBe(201);
  }
  await stage.configuration();
  const { id } = (await stage.run()).item;
  const job = jobOf(ground, await stage.take(await stage.register()));
  const { attributes } = (await job.read()).item;
  const tokens = attributes['identity-tokens'] as readonly { readonly key: string; readonly value: string }[];
  return { ...stage, runId: id, tokens };
}

const wellKnown = async (name: string) =>
  (await fetch(`${ground.service.address}/.well-known/${name}`)).json() as Promise<Record<string, unknown>>;

test('a plan gets a token for each audience, which the published keys verify', async () => {
  const { tokens, runId, workspace, organization } = await planOf({ '': 'cloud', _SECOND: 'other', _EMPTY: '' });
  expect(tokens.map(({ key }) => key)).toEqual(['TFC_WORKLOAD_IDENTITY_TOKEN', 'TFC_WORKLOAD_IDENTITY_TOKEN_SECOND']);
  const found = await wellKnown('openid-configuration');
  expect(found).toMatchObject({
    issuer: ground.service.address,
    jwks_uri: `${ground.service.address}/.well-known/jwks`,
  });
  const keys = createRemoteJWKSet(new URL(String(found['jwks_uri'])));
  const options = { issuer: ground.service.address, audience: 'cloud', maxTokenAge: 60 };
  const { payload } = await jwtVerify(tokens[0]?.value ?? '', keys, options);
  const full = `organization:${organization.name}:project:Default Project:workspace:${workspace.name}`;
  expect(payload).toMatchObject({
    sub: `${full}:run_phase:plan`,
    terraform_full_workspace: full,
    terraform_run_phase: 'plan',
    terraform_run_id: runId,
    terraform_organization_id: organization.id,
    terraform_workspace_id: workspace.id,
    terraform_project_id: organization.projectId,
  });
  expect(Number(payload.exp) - Number(payload.iat)).toBe(7_200);
  expect((await jwtVerify(tokens[1]?.value ?? '', keys, { audience: 'other' })).payload.jti).not.toBe(payload.jti);
});

test('a workspace that names no audience gets no token', async () => {
  expect((await planOf({})).tokens).toEqual([]);
});

test('a run logs in to jwt by its token, and a run of another workspace is refused', async () => {
  const [one, other] = [await planOf({ '': 'keyferry' }), await planOf({ '': 'keyferry' })];
  const { service } = ground;
  const path = service.name('jwt');
  const ask = async (name: string, body: object) =>
    expect((await service.ask('POST', name, body)).status, name).toBe(204);
  await ask(`sys/auth/${path}`, { type: 'jwt' });
  await ask(`auth/${path}/config`, { oidc_discovery_url: service.address });
  await ask(`auth/${path}/role/runs`, {
    role_type: 'jwt',
    user_claim: 'terraform_full_workspace',
    bound_audiences: ['keyferry'],
    bound_claims: { terraform_workspace_id: one.workspace.id, terraform_run_phase: 'plan' },
    token_policies: ['runs'],
  });
  const login = ({ tokens }: typeof one) =>
    service.ask(
      'POST',
      `auth/${path}/login`,
      { role: 'runs', jwt: tokens[0]?.value },
      { headers: { 'x-service-token': undefined } },
    );
  const { status, body } = await login(one);
  expect(status).toBe(200);
  expect(body['auth']).toMatchObject({ policies: ['default', 'runs'] });
  expect((await login(other)).status).toBe(400);
});

test('the key of the tokens cannot be read, used or listed below identity/oidc', async () => {
  await planOf({ '': 'cloud' });
  const { service } = ground;
  await service.ask('POST', 'identity/oidc/key/own', {});
  const listed = await service.ask('LIST', 'identity/oidc/key');
  expect(listed.data).toEqual({ keys: ['default', 'own'] });
  const role = await service.ask('POST', 'identity/oidc/role/forger', { key: 'workload/identity', client_id: 'c' });
  expect(role).toMatchObject({ status: 400, errors: ['cannot find key "workload/identity"'] });
  const client = await service.ask('POST', 'identity/oidc/client/forger', { key: 'workload/identity' });
  expect(client.status).toBe(400);
  expect((await service.ask('GET', 'identity/oidc/key/workload%2Fidentity')).status).toBe(404);
  expect((await service.ask('POST', 'identity/oidc/key/workload%2Fidentity/rotate', {})).status).toBe(404);
});
