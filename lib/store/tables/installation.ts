// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/installation.ts.
import {
  bigintText,
  bool,
  bytea,
  int,
  json,
  nullable,
  oneOf,
  text,
  timestamptz,
  uuid,
  withDefault,
} from '../sql/kinds.ts';

export const auditDevicesTable = {
  id: uuid,
  path: text,
  type: text,
  description: text,
  local: bool,
  /** Sealed: the options, which may hold credentials, and the salt. */
  settings: bytea,
};

/** Headers of requests that are recorded. */
export const auditHeadersTable = {
  /** In lower case. */
  name: text,
  hmac: bool,
};

/** One row per kind, while holders of key shares submit them. */
export const keyAttemptsTable = {
  kind: oneOf('rekey', 'recovery-rekey', 'root-token'),
  nonce: text,
  started_at: timestamptz,
  /** Sealed: the request of the attempt, and the shares submitted so far. */
  state: bytea,
};

/** One row: the history of the database server that the sync has last seen. */
export const lineageTable = {
  id: int,
  cluster: nullable(text),
  timeline: nullable(bigintText),
  since: withDefault(timestamptz),
};

export const quotasTable = {
  namespace_id: withDefault(text),
  /** `rate-limit` or `lease-count`. */
  kind: text,
  name: text,
  /** Its form depends on the kind. */
  quota: json,
};

/** Counts the changes of data that processes copy (`mounts`, `policies`); a copy with another number is outdated. */
export const revisionsTable = {
  name: text,
  revision: withDefault(int),
};

/** The completed steps of the schema. */
export const schemaMigrationsTable = {
  name: text,
  applied_at: withDefault(timestamptz),
};

/** One row. The columns that are set depend on the type of the seal. */
export const sealTable = {
  id: int,
  type: oneOf('shamir', 'static', 'cloud-a-kms', 'cloud-b-keys', 'cloud-c-kms'),
  shares: int,
  threshold: int,
  /** The root key under the unseal key, or under the outer key. */
  root_key: bytea,
  /** The keyring under the root key. */
  keyring: bytea,
  cluster_id: text,
  cluster_name: text,
  /** Grows with each rotation, so that other processes reload the keyring. */
  revision: int,
  /** The number of shares of the recovery key of an automatic seal; 0 without a recovery key. */
  recovery_shares: withDefault(int),
  recovery_threshold: withDefault(int),
  /** Sealed. Additional data: `seal/recovery_key/<cluster_id>`. */
  recovery_key: nullable(bytea),
  /** How often an operator has sealed the installation. */
  seals: withDefault(int),
  /** The key of the key service that wrapped the root key, with its version; otherwise empty. */
  key_id: withDefault(text),
};

/** Settings of the whole service that its API changes. Nothing here is sensitive. */
export const settingsTable = {
  /** `cors`, `ui-headers`. */
  name: text,
  value: json,
};
