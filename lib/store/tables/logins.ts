// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/logins.ts.
import {
  arrayOf,
  bool,
  bytea,
  int,
  json,
  nullable,
  oneOf,
  text,
  textMap,
  timestamptz,
  uuid,
  withDefault,
} from '../sql/kinds.ts';

/** Roles of mounts of the type `approle`. */
export const approleRolesTable = {
  id: uuid,
  mount_id: uuid,
  /** In lower case. */
  name: text,
  /** Logins name the role by it. */
  role_id: text,
  settings: json,
  updated_at: timestamptz,
};

export const approleSecretIdsTable = {
  role: uuid,
  /** Keyed hash of the mount's id and the secret id. */
  hash: bytea,
  accessor: text,
  /** 0: unlimited. */
  num_uses: int,
  /** The uses left of a limited number; 0: used up. */
  uses_left: int,
  /** Seconds; 0: it does not expire. */
  ttl: int,
  metadata: textMap,
  /** Blocks of addresses that logins may come from. */
  cidrs: arrayOf(text),
  /** Blocks of addresses that tokens may be used from; empty: the role's blocks. */
  token_cidrs: arrayOf(text),
  created_at: timestamptz,
  updated_at: timestamptz,
  expire_at: nullable(timestamptz),
};

export const authConfigsTable = {
  mount_id: uuid,
  /** Sealed JSON. Additional data: `auth_configs/<mount_id>`. */
  config: bytea,
  updated_at: timestamptz,
};

/** Roles of auth methods. Nothing here is sensitive. */
export const authRolesTable = {
  mount_id: uuid,
  name: text,
  settings: json,
  updated_at: timestamptz,
};

/** Logins by browser or device that a provider has not answered yet. A state is good once. */
export const browserLoginsTable = {
  /** Keyed hash of the mount's id and the state that the provider sends back. */
  state_hash: bytea,
  mount_id: uuid,
  namespace_id: text,
  /**
   * `open`: waits for the provider; `taken`: its answer is being checked; `proved`: the client may fetch the token;
   * `device`: the provider is asked when the client polls.
   */
  stage: oneOf('open', 'taken', 'proved', 'device'),
  /** The client polls for its token. Otherwise the row is deleted when it is taken. */
  polled: bool,
  /** Sealed JSON. Additional data: `browser_logins/<hash in hex>`. */
  login: bytea,
  /** Earlier polls do not ask the provider. */
  next_poll_at: timestamptz,
  /** The login is void after this. */
  expire_at: timestamptz,
};

/**
 * Wrong credentials. A row counts those of one name at one mount, or says that a part of a mount has had too many
 * names.
 */
export const loginFailuresTable = {
  namespace_id: withDefault(text),
  mount_id: uuid,
  /** The name of the user or role for the method. With U+0001 in front it is a mark of the part instead of a name. */
  alias: text,
  /** Since the last success; they do not count when the last is older than the reset window. */
  failures: int,
  failed_at: timestamptz,
  /** Null: not locked out. */
  locked_until: nullable(timestamptz),
  /** The row means nothing after this. */
  forget_at: timestamptz,
  /** The names of a mount are spread over parts with a limited number of names each. */
  part: withDefault(int),
};

/** Users of mounts of the type `userpass`. */
export const userpassUsersTable = {
  mount_id: uuid,
  /** In lower case. */
  name: text,
  /** Sealed hash (bcrypt). Additional data: `userpass_users/<mount_id>/<name>`. */
  password: bytea,
  settings: json,
  updated_at: timestamptz,
  /** The cost of the hash; null until the user has logged in. */
  cost: nullable(int),
};
