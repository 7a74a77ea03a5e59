import { authOf, dataOf, done, type Filling, keptIn, type World } from './world.ts';

/** Entities and groups with members and aliases, and an entity that was merged into another. */
export const identity: Filling = {
  tables: [
    'entities',
    'entity_aliases',
    'merged_entities',
    'identity_groups',
    'group_entities',
    'group_groups',
    'group_aliases',
    'oidc_issuers',
    'oidc_keys',
    'oidc_key_versions',
    'oidc_roles',
    'oidc_settings',
    'oidc_clients',
    'oidc_codes',
    'oidc_access_tokens',
  ],
  async fill(world) {
    const ada = keptIn(world, 'entity of ada');
    const inner = await made(world, 'identity/group', { name: 'inner', member_entity_ids: [ada], policies: ['reads'] });
    await made(world, 'identity/group', { name: 'outer', member_group_ids: [inner] });
    const canonical_id = await made(world, 'identity/group', { name: 'external', type: 'external' });
    const mount_accessor = keptIn(world, 'accessor of people');
    await made(world, 'identity/group-alias', { name: 'admins', mount_accessor, canonical_id });
    const twin = await made(world, 'identity/entity', { name: 'twin', metadata: { a: 'b' } });
    await done(world, 'POST', 'identity/entity/merge', { from_entity_ids: [twin], to_entity_id: ada });
    await done(world, 'POST', 'team/identity/entity', { name: 'twin' });
    await done(world, 'POST', 'identity/oidc/config', { issuer: 'https://id.example.com' });
    await done(world, 'POST', 'identity/oidc/key/services', { algorithm: 'ES256', allowed_client_ids: '*' });
    await done(world, 'POST', 'identity/oidc/key/services/rotate', {});
    await done(world, 'POST', 'identity/oidc/role/services', { key: 'services', client_id: 'app' });
    await logIn(world);
  },
};

/** Two logins at a client: one is completed, one waits. */
async function logIn(world: World): Promise<void> {
  const redirect_uri = 'https://app.example/done';
  await done(world, 'POST', 'identity/oidc/scope/who', { template: '{"who": {{identity.entity.name}}}' });
  const client = { key: 'services', redirect_uris: redirect_uri, assignments: 'allow_all' };
  await done(world, 'POST', 'identity/oidc/client/app', client);
  const { client_id, client_secret } = dataOf(await done(world, 'GET', 'identity/oidc/client/app'));
  await done(world, 'PUT', 'sys/policies/acl/logs-in', {
    policy: 'path "identity/oidc/provider/default/authorize" { capabilities = ["read", "update"] }',
  });
  await done(world, 'POST', 'auth/token/roles/logs-in', { allowed_entity_aliases: '*', orphan: true });
  const caller = authOf(
    await done(world, 'POST', 'auth/token/create/logs-in', { entity_alias: 'client of ada', policies: ['logs-in'] }),
  );
  const asked = { scope: 'openid', response_type: 'code', client_id, redirect_uri };
  const as = { 'x-service-token': String(caller['client_token']) };
  const codeOf = () => done(world, 'POST', 'identity/oidc/provider/default/authorize', asked, as);
  const { code } = await codeOf();
  await codeOf();
  const exchange = { grant_type: 'authorization_code', code, redirect_uri, client_id, client_secret };
  await done(world, 'POST', 'identity/oidc/provider/default/token', exchange, { 'x-service-token': undefined });
}

const made = async (world: World, path: string, body: object): Promise<string> =>
  String(dataOf(await done(world, 'POST', path, body))['id']);
