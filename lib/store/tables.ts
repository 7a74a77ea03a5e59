import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/**
 * The tables as Kysely sees them. `bytea` columns named in the comments as sealed hold what the barrier made of a value;
 * everything else is readable to who can read the database, so nothing sensitive stands there.
 * Identity columns (`bigint`) come back as text: they are ids, not numbers to calculate with.
 */
export interface Database {
  revisions: RevisionsTable;
  mounts: MountsTable;
  mount_moves: MountMovesTable;
  tokens: TokensTable;
  kv_mounts: KvMountsTable;
  kv_secrets: KvSecretsTable;
  kv_versions: KvVersionsTable;
  sync_config: SyncConfigTable;
  destinations: DestinationsTable;
  associations: AssociationsTable;
  sync_objects: SyncObjectsTable;
  repo_host_apps: RepoHostAppsTable;
  seal: SealTable;
}

type Timestamp = ColumnType<Date, Date, Date>;
type Json<T> = ColumnType<T, string, string>;

/** Counts the changes of something that processes keep a copy of (`mounts`); the copy is old when its number is. */
export interface RevisionsTable {
  name: string;
  revision: Generated<number>;
}

export interface MountsTable {
  id: Generated<string>;
  /** With a trailing slash; auth methods are at `auth/<path>/`. */
  path: string;
  type: string;
  accessor: string;
  description: string;
  options: Json<Record<string, string> | null>;
  config: Json<Record<string, unknown>>;
  local: boolean;
  seal_wrap: boolean;
  created_at: Generated<Timestamp>;
}

/** Moves of mounts that have ended; the newest are kept. */
export interface MountMovesTable {
  id: string;
  /** Paths with a trailing slash. */
  source: string;
  target: string;
  ended_at: Timestamp;
}

export interface TokensTable {
  /** Keyed hash of the token. */
  hash: Buffer;
  accessor: string;
  parent: Buffer | null;
  policies: string[];
  meta: Json<Record<string, string> | null>;
  display_name: string;
  path: string;
  type: string;
  /** 0: unlimited; -1: used up, being revoked. */
  num_uses: number;
  /** Seconds; 0: none. */
  period: number;
  explicit_max_ttl: number;
  creation_ttl: number;
  creation_time: Timestamp;
  /** Null: never. */
  expire_at: Timestamp | null;
  last_renewal_at: Timestamp | null;
  renewable: boolean;
  orphan: boolean;
  entity_id: string;
  role: string;
  bound_cidrs: string[];
}

/** Configuration of a KV v2 mount. 0 and false: not set. `delete_version_after` is in seconds; negative: never. */
export interface KvMountsTable {
  mount_id: string;
  max_versions: number;
  cas_required: boolean;
  delete_version_after: number;
}

/** KV v1 uses this table with one version per secret. */
export interface KvSecretsTable {
  mount_id: string;
  path: string;
  current_version: number;
  oldest_version: number;
  created_time: Timestamp;
  updated_time: Timestamp;
  max_versions: number;
  cas_required: boolean;
  delete_version_after: number;
  /** Sealed JSON object, or null. Additional data: `kv_secrets/<mount_id>/<path>`. */
  custom_metadata: Buffer | null;
  last_updated_by: Json<Attribution | null>;
  /** Grows when the row changes, so that a statement that waited for the row notices that its snapshot is older. */
  revision: Generated<number>;
}

/** Who has made a change of a secret, in the API family's words; null in its place: not known. */
export interface Attribution {
  /** The display name of the token. */
  readonly actor: string;
  readonly operation: string;
  readonly entity_id?: string;
  readonly client_id: string;
}

export interface KvVersionsTable {
  mount_id: string;
  path: string;
  version: number;
  /** Random; binds the sealed data to this row. */
  id: string;
  /** Sealed JSON text; null once destroyed. Additional data: `kv_versions/<mount_id>/<path>/<id>`. */
  data: Buffer | null;
  created_time: Timestamp;
  /** May lie in the future (`delete_version_after`). Deleted means: not null and not after now. */
  deletion_time: Timestamp | null;
  destroyed: boolean;
  created_by: Json<Attribution | null>;
  /** Null also where a version was deleted by the passing of time. */
  deleted_by: Json<Attribution | null>;
  /** The sweep has told the sync of a deletion that came by time. */
  deletion_seen: boolean;
}

export interface SyncConfigTable {
  id: number;
  disabled: boolean;
  queue_capacity: number;
}

export interface DestinationsTable {
  id: GeneratedAlways<string>;
  type: string;
  name: string;
  /** Sealed JSON object of the type's fields. Additional data: `destinations/<type>/<name>`. */
  connection: Buffer;
  granularity: string;
  /** Null: the type's default. */
  template: string | null;
  custom_tags: Json<Record<string, string>>;
  network: Json<DestinationNetwork>;
  /** Take over objects of the same name that we did not write. */
  adopt: boolean;
  /** Grows with each change, so that a worker knows when its open driver is out of date. */
  revision: Generated<number>;
  created_at: Generated<Timestamp>;
  updated_at: Timestamp;
  purge_initiated_at: Timestamp | null;
  purge_error: string | null;
}

export interface DestinationNetwork {
  readonly disable_strict_networking: boolean;
  readonly allowed_ipv4_addresses: readonly string[];
  readonly allowed_ipv6_addresses: readonly string[];
  readonly allowed_ports: readonly number[];
}

/**
 * An association links a secret to a destination. It is *dirty* while `generation > observed_generation`: that is the
 * outbox. Every relevant change adds one to `generation` in its own transaction; the worker that has brought the
 * external system in line with generation n sets `observed_generation = n`. A crash between any two steps leaves the row
 * dirty, and the sweep queues it again.
 */
export interface AssociationsTable {
  id: GeneratedAlways<string>;
  destination_id: string;
  /** Destination type, for the choice of the queue. */
  type: string;
  mount_id: string;
  mount_path: string;
  mount_accessor: string;
  secret_name: string;
  /** Granularity and template as they were when the secret was associated (or set again). */
  granularity: string;
  template: string;
  adopt: boolean;
  desired: 'present' | 'absent';
  generation: ColumnType<number, number | undefined, number>;
  observed_generation: ColumnType<number, number | undefined, number>;
  /** Push even what looks unchanged, while greater than `observed_generation`. */
  forced_generation: ColumnType<number, number | undefined, number>;
  /** Look even at what was looked at not long ago, while greater than `observed_generation`. */
  verify_generation: ColumnType<number, number | undefined, number>;
  status: string;
  error: Json<SyncError | null>;
  records: Json<readonly SyncRecord[]>;
  attempts: ColumnType<number, number | undefined, number>;
  next_attempt_at: Timestamp | null;
  updated_at: Timestamp;
  dirty_since: Timestamp | null;
  /** The worker that has it in flight, and until when. */
  claimed_by: string | null;
  claimed_until: Timestamp | null;
  /** When a call whose end nobody saw can last have been under way; null: nothing of that kind is remembered. */
  unconfirmed_at: Timestamp | null;
  /** When the destination is looked at again because of it; null: it has to come in line first. */
  recheck_at: Timestamp | null;
  /** Rechecks that were done since. */
  rechecks: Generated<number>;
  /** The objects are looked at again, also those that look unchanged, while greater than `observed_generation`. */
  recheck_generation: Generated<number>;
}

/** Why the last attempt failed. Never holds a secret value. */
export interface SyncError {
  readonly kind: string;
  readonly message: string;
}

/** One record per object in the reads of associations. */
export interface SyncRecord {
  readonly sub_key: string;
  readonly external_name: string;
  readonly status: string;
  readonly error: SyncError | null;
  /** RFC 3339. */
  readonly updated_at: string;
  /** While the association is not done: the generation that this record is of, so that the next attempt goes on here. */
  readonly generation?: number;
}

/**
 * An object at a destination that we wrote, or are about to write (`written_at` null). We remove only these. One that we removed
 * stays as a tombstone (`removed_at`) while a late write may bring it back.
 */
export interface SyncObjectsTable {
  association_id: string;
  destination_id: string;
  sub_key: string;
  external_name: string;
  /** The name as the remote compares names; unique in a destination. */
  name_key: string;
  mark: string;
  intended_at: Timestamp;
  /** When it was last written, or looked at and found as we left it. */
  written_at: Timestamp | null;
  remote_version: string | null;
  /** Keyed hash of the value and tags. */
  fingerprint: Buffer | null;
  tag_keys: string[];
  removed_at: Timestamp | null;
}

export interface RepoHostAppsTable {
  name: string;
  app_id: string;
  /** Sealed PEM, or JSON of it and the addresses of its host. Additional data: `repo_host_apps/<name>`. */
  private_key: Buffer;
  fingerprint: string;
}

/** One row. What of it is set depends on the seal type. */
export interface SealTable {
  id: number;
  type: 'shamir' | 'static';
  shares: number;
  threshold: number;
  /** The root key under the unseal key. */
  root_key: Buffer;
  /** The keyring under the root key. */
  keyring: Buffer;
  cluster_id: string;
  cluster_name: string;
  /** Grows with each rotation, so that other processes reload the keyring. */
  revision: number;
}
