// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/identity.ts.
import {
  arrayOf,
  bigintText,
  bool,
  bytea,
  int,
  json,
  jsonObject,
  nullable,
  oneOf,
  text,
  textMap,
  timestamptz,
  uuid,
  withDefault,
} from '../sql/kinds.ts';

/** An entity is one user or machine, however it logs in. */
export const entitiesTable = {
  id: text,
  namespace_id: withDefault(text),
  name: text,
  /** The name in lower case, which is unique. */
  name_key: text,
  metadata: withDefault(textMap),
  created_at: timestamptz,
  updated_at: timestamptz,
  policies: withDefault(arrayOf(text)),
  disabled: withDefault(bool),
  version: withDefault(bigintText),
};

/** The names by which auth mounts know an entity. */
export const entityAliasesTable = {
  id: text,
  mount_accessor: text,
  namespace_id: withDefault(text),
  name: text,
  name_key: text,
  metadata: withDefault(textMap),
  created_at: timestamptz,
  updated_at: timestamptz,
  entity_id: text,
  custom_metadata: withDefault(textMap),
  local: withDefault(bool),
  /** The entities that had this alias before they were merged. */
  merged_from: withDefault(arrayOf(text)),
};

export const groupAliasesTable = {
  id: text,
  mount_accessor: text,
  namespace_id: withDefault(text),
  name: text,
  name_key: text,
  metadata: withDefault(textMap),
  created_at: timestamptz,
  updated_at: timestamptz,
  group_id: text,
};

/** The entities that are members of groups. */
export const groupEntitiesTable = {
  entity_id: text,
  group_id: text,
};

/** The groups that are members of groups. */
export const groupGroupsTable = {
  member_id: text,
  parent_id: text,
};

export const identityGroupsTable = {
  id: text,
  namespace_id: withDefault(text),
  name: text,
  name_key: text,
  metadata: withDefault(textMap),
  created_at: timestamptz,
  updated_at: timestamptz,
  type: text,
  policies: withDefault(arrayOf(text)),
};

/** Entities that were merged into others: tokens may still name them. */
export const mergedEntitiesTable = {
  from_id: text,
  to_id: text,
};

/** Wrong codes of an entity with a method. */
export const mfaAttemptsTable = {
  method_id: uuid,
  entity_id: text,
  attempts: int,
  expire_at: timestamptz,
};

export const mfaEnforcementMethodsTable = {
  enforcement_id: uuid,
  method_id: uuid,
  position: int,
};

export const mfaEnforcementsTable = {
  id: uuid,
  namespace_id: withDefault(text),
  name: text,
  matches: json,
};

export const mfaMethodsTable = {
  id: uuid,
  namespace_id: withDefault(text),
  name: nullable(text),
  settings: json,
  /** When its removal began; null while it is in use. */
  removed_at: nullable(timestamptz),
};

/** Logins that wait for their second factor. */
export const mfaPendingLoginsTable = {
  /** Keyed hash of the id of the request. */
  id_hash: bytea,
  mount_id: uuid,
  entity_id: text,
  /** Sealed: the result of the login. */
  login: bytea,
  expire_at: timestamptz,
  principal: withDefault(text),
};

/** Enrolments of entities in methods. */
export const mfaSecretsTable = {
  method_id: uuid,
  entity_id: text,
  settings: json,
  /** Sealed. */
  secret: bytea,
};

/** Codes that were accepted once and are refused while they would still be valid. */
export const mfaUsedCodesTable = {
  method_id: uuid,
  entity_id: text,
  step: bigintText,
  expire_at: timestamptz,
};

/** Access tokens of logins at OpenID Connect clients. */
export const oidcAccessTokensTable = {
  /** Keyed hash of the token. */
  hash: bytea,
  client_id: text,
  entity_id: text,
  provider: text,
  scopes: arrayOf(text),
  expire_at: timestamptz,
};

/** Systems at which callers of this service log in. */
export const oidcClientsTable = {
  namespace_id: withDefault(text),
  name: text,
  client_id: text,
  key: text,
  /** Sealed. Additional data: `oidc_clients/<client_id>`. Null: a public client. */
  secret: nullable(bytea),
  settings: jsonObject,
};

/** Logins at OpenID Connect clients that are not completed yet. */
export const oidcCodesTable = {
  /** Keyed hash of the code. */
  hash: bytea,
  client_id: text,
  entity_id: text,
  /** Sealed. Additional data: `oidc_codes/<hash>`. */
  login: bytea,
  expire_at: timestamptz,
};

/** The configured issuers of identity tokens. */
export const oidcIssuersTable = {
  namespace_id: withDefault(text),
  /** Scheme, host and optional port; empty: the address of the service. */
  issuer: text,
};

/** The key pairs of the keys of identity tokens. */
export const oidcKeyVersionsTable = {
  /** The `kid` of tokens. */
  id: uuid,
  namespace_id: withDefault(text),
  key: text,
  algorithm: text,
  /** Next is published and not used yet; retired is published until it expires. */
  state: oneOf('next', 'signing', 'retired'),
  /** A JWK. */
  public_key: jsonObject,
  /** Sealed JWK. Additional data: `oidc_key_versions/<id>`. Null: retired. */
  private_key: nullable(bytea),
  created_at: withDefault(timestamptz),
  expire_at: nullable(timestamptz),
};

/** Named keys that sign identity tokens. */
export const oidcKeysTable = {
  namespace_id: withDefault(text),
  name: text,
  algorithm: text,
  /** Seconds. */
  rotation_period: int,
  /** Seconds that a retired public key is published. */
  verification_ttl: int,
  allowed_client_ids: withDefault(arrayOf(text)),
  next_rotation_at: timestamptz,
};

/** What identity tokens are made of. */
export const oidcRolesTable = {
  namespace_id: withDefault(text),
  name: text,
  key: text,
  /** Claims as JSON with parameters; empty: none. */
  template: text,
  /** The audience. */
  client_id: text,
  /** Seconds. */
  ttl: int,
};

/** Assignments, scopes and providers of OpenID Connect. */
export const oidcSettingsTable = {
  namespace_id: withDefault(text),
  kind: oneOf('assignment', 'provider', 'scope'),
  name: text,
  settings: jsonObject,
};
