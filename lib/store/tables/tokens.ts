// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/tokens.ts.
import {
  arrayOf,
  bool,
  bytea,
  int,
  json,
  nullable,
  text,
  textMap,
  timestamptz,
  uuid,
  withDefault,
} from '../sql/kinds.ts';

export const passwordPoliciesTable = {
  namespace_id: withDefault(text),
  /** In lower case. */
  name: text,
  /** As it was written. */
  text: text,
  updated_at: timestamptz,
};

export const policiesTable = {
  namespace_id: withDefault(text),
  /** In lower case. */
  name: text,
  /** As it was written. */
  text: text,
  updated_at: timestamptz,
};

export const tokenRolesTable = {
  namespace_id: withDefault(text),
  name: text,
  settings: json,
  updated_at: timestamptz,
};

/** The run of tidy that is in progress, or the last one. */
export const tokenTidyTable = {
  namespace_id: withDefault(text),
  run: uuid,
  /** Another run may begin after this time: the process of this run has died. */
  held_until: timestamptz,
};

export const tokensTable = {
  /** Keyed hash of the token. */
  hash: bytea,
  accessor: text,
  parent: nullable(bytea),
  policies: arrayOf(text),
  meta: nullable(textMap),
  display_name: text,
  path: text,
  type: text,
  /** 0: unlimited; -1: used up. */
  num_uses: int,
  /** Seconds; 0: the token is not periodic. */
  period: int,
  /** Seconds; 0: no limit of its own. */
  explicit_max_ttl: int,
  /** Seconds. */
  creation_ttl: int,
  creation_time: timestamptz,
  /** Null: never. */
  expire_at: nullable(timestamptz),
  last_renewal_at: nullable(timestamptz),
  renewable: bool,
  orphan: bool,
  entity_id: text,
  role: text,
  bound_cidrs: arrayOf(text),
  /** The token and its tree are refused since this time; null unless it is being revoked. */
  revoked_at: nullable(timestamptz),
  namespace_id: withDefault(text),
  /** The role of the login that created it; otherwise empty. */
  login_role: withDefault(text),
  /** For a used-up token: the request of its last use may need it until this time. */
  in_use_until: withDefault(timestamptz),
};

/** A token with a row here is a wrapping token. It has one use, which takes the reply and deletes both rows. */
export const wrappedRepliesTable = {
  token_hash: bytea,
  /** Sealed text of the reply. Additional data: `wrapped_replies/<token_hash in hex>`. */
  reply: bytea,
};
