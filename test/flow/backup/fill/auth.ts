import { startScriptedProvider } from '#test/support/auth/scripted-provider.ts';
import { authOf, dataOf, done, type Filling, keptIn, type World } from './world.ts';

const noToken = { 'x-service-token': undefined };

/** Policies, auth methods with their roles and users, and logins. */
export const auth: Filling = {
  tables: [
    'policies',
    'password_policies',
    'userpass_users',
    'approle_roles',
    'approle_secret_ids',
    'auth_configs',
    'auth_roles',
    'browser_logins',
    'login_failures',
  ],
  async fill(world) {
    const policy = 'path "same/data/*" { capabilities = ["read"] }';
    for (const namespace of ['', 'team/']) await done(world, 'POST', `${namespace}sys/policies/acl/reads`, { policy });
    await done(world, 'POST', 'sys/policies/password/long', {
      policy: 'length = 20\nrule "charset" { charset = "abcdefghij" }',
    });
    await userpass(world);
    await approle(world);
    await browserLogin(world);
    await done(world, 'POST', 'sys/auth/cluster', { type: 'orchestrator' });
    await done(world, 'POST', 'auth/cluster/config', {
      orchestrator_host: 'https://127.0.0.1:6443',
      orchestrator_ca_cert: '',
    });
    await done(world, 'POST', 'auth/cluster/role/app', {
      bound_service_account_names: ['app'],
      bound_service_account_namespaces: ['prod'],
      token_policies: ['reads'],
    });
  },
};

async function userpass(world: World): Promise<void> {
  await done(world, 'POST', 'sys/auth/people', { type: 'userpass' });
  for (const name of ['ada', 'eve'])
    await done(world, 'POST', `auth/people/users/${name}`, { password: 'a long password', token_policies: ['reads'] });
  const body = await done(world, 'POST', 'auth/people/login/ada', { password: 'a long password' }, noToken);
  world.kept.set('token of ada', String(authOf(body)['client_token']));
  world.kept.set('entity of ada', String(authOf(body)['entity_id']));
  await world.service.ask('POST', 'auth/people/login/eve', { password: 'wrong' }, { headers: noToken });
  const { data } = await world.service.ask('GET', 'sys/auth/people');
  world.kept.set('accessor of people', String(data['accessor']));
}

async function approle(world: World): Promise<void> {
  await done(world, 'POST', 'sys/auth/machines', { type: 'approle' });
  await done(world, 'POST', 'auth/machines/role/app', { token_policies: ['reads'] });
  world.kept.set('role id', String(dataOf(await done(world, 'GET', 'auth/machines/role/app/role-id'))['role_id']));
  const made = dataOf(await done(world, 'POST', 'auth/machines/role/app/secret-id', { metadata: '{"a":"b"}' }));
  world.kept.set('secret id', String(made['secret_id']));
}

/** A login that waits for the answer of a provider. */
async function browserLogin(world: World): Promise<void> {
  const provider = await startScriptedProvider();
  await done(world, 'POST', 'sys/auth/browser', { type: 'oidc' });
  await done(world, 'POST', 'auth/browser/config', {
    oidc_discovery_url: provider.address,
    oidc_discovery_ca_pem: provider.certificate,
    oidc_client_id: provider.clientId,
    oidc_client_secret: provider.clientSecret,
  });
  const redirect_uri = 'http://localhost:8250/oidc/callback';
  await done(world, 'POST', 'auth/browser/role/dev', { user_claim: 'sub', allowed_redirect_uris: redirect_uri });
  await done(world, 'POST', 'auth/browser/oidc/auth_url', { role: 'dev', redirect_uri }, noToken);
  provider.close();
}

/** Logs a machine in with the credentials that it kept. */
export const machineLogin = (world: World) => ({
  role_id: keptIn(world, 'role id'),
  secret_id: keptIn(world, 'secret id'),
});
