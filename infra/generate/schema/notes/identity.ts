import type { TableNotes } from '../note.ts';

export const identity: TableNotes = {
  entities: {
    about: 'An entity is one user or machine, however it logs in.',
    columns: { name_key: 'The name in lower case, which is unique.' },
    json: { metadata: 'textMap' },
  },
  entity_aliases: {
    about: 'The names by which auth mounts know an entity.',
    columns: { merged_from: 'The entities that had this alias before they were merged.' },
    json: { metadata: 'textMap', custom_metadata: 'textMap' },
  },
  group_aliases: { json: { metadata: 'textMap' } },
  group_entities: { about: 'The entities that are members of groups.' },
  group_groups: { about: 'The groups that are members of groups.' },
  identity_groups: { json: { metadata: 'textMap' } },
  merged_entities: { about: 'Entities that were merged into others: tokens may still name them.' },
  mfa_attempts: { about: 'Wrong codes of an entity with a method.' },
  mfa_enforcement_methods: {},
  mfa_enforcements: {},
  mfa_methods: { columns: { removed_at: 'When its removal began; null while it is in use.' } },
  mfa_pending_logins: {
    about: 'Logins that wait for their second factor.',
    columns: { id_hash: 'Keyed hash of the id of the request.', login: 'Sealed: the result of the login.' },
  },
  mfa_secrets: { about: 'Enrolments of entities in methods.', columns: { secret: 'Sealed.' } },
  mfa_used_codes: { about: 'Codes that were accepted once and are refused while they would still be valid.' },
  oidc_access_tokens: {
    about: 'Access tokens of logins at OpenID Connect clients.',
    columns: { hash: 'Keyed hash of the token.' },
  },
  oidc_clients: {
    about: 'Systems at which callers of this service log in.',
    columns: { secret: 'Sealed. Additional data: `oidc_clients/<client_id>`. Null: a public client.' },
    json: { settings: 'jsonObject' },
  },
  oidc_codes: {
    about: 'Logins at OpenID Connect clients that are not completed yet.',
    columns: { hash: 'Keyed hash of the code.', login: 'Sealed. Additional data: `oidc_codes/<hash>`.' },
  },
  oidc_issuers: {
    about: 'The configured issuers of identity tokens.',
    columns: { issuer: 'Scheme, host and optional port; empty: the address of the service.' },
  },
  oidc_key_versions: {
    about: 'The key pairs of the keys of identity tokens.',
    columns: {
      id: 'The `kid` of tokens.',
      state: 'Next is published and not used yet; retired is published until it expires.',
      public_key: 'A JWK.',
      private_key: 'Sealed JWK. Additional data: `oidc_key_versions/<id>`. Null: retired.',
    },
    json: { public_key: 'jsonObject' },
  },
  oidc_keys: {
    about: 'Named keys that sign identity tokens.',
    columns: { rotation_period: 'Seconds.', verification_ttl: 'Seconds that a retired public key is published.' },
  },
  oidc_roles: {
    about: 'What identity tokens are made of.',
    columns: { template: 'Claims as JSON with parameters; empty: none.', client_id: 'The audience.', ttl: 'Seconds.' },
  },
  oidc_settings: {
    about: 'Assignments, scopes and providers of OpenID Connect.',
    json: { settings: 'jsonObject' },
  },
};
