// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/sync.ts.
import {
  arrayOf,
  bigintText,
  bool,
  bytea,
  float,
  generated,
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

/**
 * An association links a secret to a destination. It is *dirty* while `generation > observed_generation`: that is the
 * outbox. Every relevant change adds one to `generation` in its own transaction; the worker that has brought the
 * external system in line with generation n sets `observed_generation = n`. A crash between any two steps leaves the
 * row dirty, and the sweep queues it again.
 */
export const associationsTable = {
  id: generated(bigintText),
  destination_id: bigintText,
  /** The type of the destination, which decides on the queue. */
  type: text,
  mount_id: uuid,
  mount_path: text,
  mount_accessor: text,
  secret_name: text,
  /** As it was when the secret was last associated, like template and adopt. */
  granularity: text,
  template: text,
  adopt: bool,
  desired: oneOf('present', 'absent'),
  generation: withDefault(int),
  observed_generation: withDefault(int),
  /** Objects that look unchanged are pushed too while this is greater than `observed_generation`. */
  forced_generation: withDefault(int),
  status: text,
  error: nullable(json),
  records: json,
  attempts: withDefault(int),
  next_attempt_at: nullable(timestamptz),
  updated_at: timestamptz,
  dirty_since: nullable(timestamptz),
  /** The claim of the worker that is processing it. */
  claimed_by: nullable(text),
  claimed_until: nullable(timestamptz),
  /** When a call with an unknown outcome may last have been in flight; null: no such call is remembered. */
  unconfirmed_at: nullable(timestamptz),
  /** When the destination is checked again because of such a call; null: the association has to be in line first. */
  recheck_at: nullable(timestamptz),
  /** Rechecks that were done since. */
  rechecks: withDefault(int),
  /**
   * The objects are looked at again, also those that look unchanged, while this is greater than `observed_generation`.
   */
  recheck_generation: withDefault(int),
  /** Objects that were looked at not long ago are looked at too while this is greater than `observed_generation`. */
  verify_generation: withDefault(int),
  /**
   * How the objects differ from what the last sync left: `deleted`, `changed`, `tags`, `foreign`; null: not that we
   * know.
   */
  drift: nullable(text),
  /** When a look last saw the drift. */
  drift_at: nullable(timestamptz),
  /** The standing rule that made it; null: a request did. */
  rule_id: nullable(bigintText),
  /** When it is `generation`, a worker does what the applied plan says, or nothing. */
  planned_generation: withDefault(int),
};

/**
 * Summands of the numbers of associations, by destination, status and kind of error. Triggers on associations add rows;
 * the sweep replaces them by their sums.
 */
export const associationCountsTable = {
  destination_id: bigintText,
  id: generated(bigintText),
  status: text,
  /** Of the error of the present attempts; empty: there is none. */
  kind: text,
  /** Without remnants. */
  associations: int,
  /** Also remnants. */
  dirty: int,
  /** Associations with drift. */
  drifted: int,
  /** It is a sum, not a single change. */
  folded: withDefault(bool),
};

export const destinationsTable = {
  id: generated(bigintText),
  type: text,
  /** Unique in the namespace and type. */
  name: text,
  /**
   * Sealed JSON object of the type's fields. Additional data: `destinations/[<namespace_id>/]<type>/<name>`, without
   * the id for the root.
   */
  connection: bytea,
  granularity: text,
  /** Null: the type's default. */
  template: nullable(text),
  custom_tags: textMap,
  network: json,
  /** Take over objects of the same name that others have written. */
  adopt: bool,
  /** Grows with each change, so that a worker knows when its open driver is outdated. */
  revision: withDefault(int),
  created_at: withDefault(timestamptz),
  updated_at: timestamptz,
  purge_initiated_at: nullable(timestamptz),
  purge_error: nullable(text),
  namespace_id: withDefault(text),
  /** Paused, unless `disabled_until` has passed. */
  disabled: withDefault(bool),
  /** When the pause ends by itself; null: it lasts until a request ends it. */
  disabled_until: nullable(timestamptz),
  /** When a request last ended a pause. */
  resumed_at: nullable(timestamptz),
  /**
   * Destinations of one type and namespace with the same one share a rate; null: those that the provider counts
   * together do.
   */
  rate_group: nullable(text),
  /** What a look does with drift: `report`, `repair`; `off`: there are no looks. */
  on_drift: withDefault(text),
};

/** Looks for drift at a destination. */
export const destinationDriftTable = {
  destination_id: bigintText,
  /** When its next look, or the rest of the present one, may begin. */
  due_at: timestamptz,
  /** When it last had its turn; namespaces take turns by it. */
  turned_at: nullable(timestamptz),
  /** The process that is looking at it. */
  leased_by: nullable(text),
  leased_until: nullable(timestamptz),
  /** When the present look began; null: none has begun. */
  began_at: nullable(timestamptz),
  /** Pages of the list that the present look has read. */
  pages: withDefault(int),
  /** Where the list continues, in the system's words; null: at its beginning. */
  list_after: nullable(text),
  /** Null while pages are read; then the key of the last name that was looked at by itself. */
  rest_after: nullable(text),
  /** Objects that the present look was not allowed to see. */
  unseen: withDefault(int),
  /** When the last complete look ended. */
  checked_at: nullable(timestamptz),
  /** Objects that the last complete look was not allowed to see. */
  checked_unseen: withDefault(int),
  /** Why the last look ended early; null: it did not. */
  error: nullable(json),
};

/** What the last attempts at a destination came to. */
export const destinationResultsTable = {
  destination_id: bigintText,
  /** When an attempt last brought an association in line with calls; at most a second too old. */
  last_success_at: nullable(timestamptz),
  /** When an attempt last failed. */
  last_error_at: nullable(timestamptz),
  last_error: nullable(json),
  /** The destination's id of the request that failed; null: it named none. */
  last_error_request_id: nullable(text),
  /** Attempts since the last sample that left nothing to do. */
  done: withDefault(int),
  /** Attempts since the last sample that failed. */
  failed: withDefault(int),
  /** How many of them failed with which kind of error. */
  errors: withDefault(json),
  /** Associations that became dirty since the last sample. */
  arrived: withDefault(int),
};

/** Changes that concern every association of a destination and mark them page by page. */
export const markingsTable = {
  destination_id: bigintText,
  reason: text,
  forced: bool,
  began_at: withDefault(timestamptz),
  association_max: bigintText,
  after_mount: withDefault(uuid),
  after_secret: withDefault(text),
  turned_at: withDefault(timestamptz),
};

export const repoHostAppsTable = {
  /** Unique in the namespace. */
  name: text,
  app_id: text,
  /**
   * Sealed PEM, or JSON of it and the addresses of its host. Additional data: `repo_host_apps/[<namespace_id>/]<name>`.
   */
  private_key: bytea,
  fingerprint: text,
  namespace_id: withDefault(text),
};

/** The last attempts of associations; the sweep deletes earlier ones and those of deleted associations. */
export const syncAttemptsTable = {
  association_id: bigintText,
  id: generated(bigintText),
  /** The generation that the attempt worked on. */
  generation: int,
  ended_at: withDefault(timestamptz),
  /** From the start of the attempt to the end of its last call. */
  duration_ms: int,
  /** As they count against the rate of the destination, some of them by a fraction. */
  calls: float,
  /** `synced`, `unsynced`, `failed`, or `retrying` and `continued`: another attempt follows. */
  outcome: text,
  error: nullable(json),
  /** The destination's id of the request that failed; null: it named none. */
  request_id: nullable(text),
};

/** An association that a batch has changed, or is to change, until its outcome is counted. */
export const syncBatchItemsTable = {
  batch_id: uuid,
  association_id: bigintText,
  /** The generation of the change; null: not changed yet. */
  generation: nullable(int),
};

/** A secret that a batch is to associate with its destination. */
export const syncBatchSecretsTable = {
  batch_id: uuid,
  secret_name: text,
};

/**
 * Work over many associations of a namespace. *running*: associations up to `after_id` are done. *settling*: all are
 * changed, and the outcomes of some are outstanding. Then *done*; or *canceled*, or *failed*, which end it at once,
 * though outcomes are still counted.
 */
export const syncBatchesTable = {
  id: uuid,
  namespace_id: text,
  /** `replay`, `force`, `set`, `remove` or `apply`. */
  action: text,
  filter: json,
  /** Only associations that have not changed since; null: all. */
  updated_before: nullable(timestamptz),
  /** How many associations it changes at most; null: all. */
  limit_count: nullable(int),
  /** How many associations it changes per second at most; null: no limit. */
  rate: nullable(float),
  state: withDefault(text),
  /** How many associations matched at the creation, counted up to a bound. */
  total: int,
  /** Associations with a greater id are newer than the batch. */
  association_max: bigintText,
  after_id: withDefault(bigintText),
  /** How many it has changed. */
  marked: withDefault(int),
  /** The item whose outcome was looked for last; 0 starts from the first. */
  settle_after: withDefault(bigintText),
  /** How many outcomes are counted. */
  settled: withDefault(int),
  outcomes: withDefault(json),
  error: nullable(text),
  created_at: withDefault(timestamptz),
  /** When it last changed associations, for the rate. */
  stepped_at: withDefault(timestamptz),
  turned_at: withDefault(timestamptz),
  finished_at: nullable(timestamptz),
  /** With `set`: the destination with which it associates secrets of the mount; null: it sets associations again. */
  destination_id: nullable(bigintText),
  mount_id: nullable(uuid),
  adopt: withDefault(bool),
};

/** One row. */
export const syncConfigTable = {
  id: int,
  /** Paused, unless `disabled_until` has passed. */
  disabled: bool,
  queue_capacity: int,
  /** When the pause ends by itself; null: it lasts until a request ends it. */
  disabled_until: nullable(timestamptz),
};

/** When samples were taken, for a day. A slot without a sample has no row. */
export const syncSampleSlotsTable = {
  /** The begin of the ten seconds in which the sample was taken. */
  slot: timestamptz,
  /** Operations in the queue, of all namespaces; null: Redis was unavailable. */
  pending: nullable(int),
  /** How many the queue took. */
  capacity: int,
  /** The sums have this sample; false: a sweep of an earlier release took it. */
  summed: withDefault(bool),
};

/** The numbers of destinations that had any when a sample was taken. */
export const syncSamplesTable = {
  namespace_id: text,
  slot: timestamptz,
  type: text,
  /** Empty: the sum over further destinations of the type. */
  name: text,
  /** Associations with a change that is not synced; estimated when there are very many. */
  pending: int,
  /** The age of the oldest of these changes; null: there is none. */
  oldest_seconds: nullable(float),
  /** Attempts since the sample before that left nothing to do. */
  done: int,
  /** Attempts since the sample before that failed. */
  failed: int,
  /** How many of them failed with which kind of error. */
  errors: json,
  /** Associations that became dirty since the sample before; null: a sweep of an earlier release took the sample. */
  arrived: nullable(int),
};

/** The samples of five minutes as one row for each destination. */
export const syncSampleSpansTable = {
  namespace_id: text,
  /** The begin of the five minutes. */
  slot: timestamptz,
  type: text,
  /** Empty: the sum over further destinations of the type. */
  name: text,
  /** The greatest number of the samples. */
  pending: int,
  /** The greatest age of the samples; null: there was none. */
  oldest_seconds: nullable(float),
  /** Attempts that left nothing to do. */
  done: int,
  /** Attempts that failed. */
  failed: int,
  /** How many of them failed with which kind of error. */
  errors: json,
  /** Associations that became dirty; null: sweeps of an earlier release took all of the samples. */
  arrived: nullable(int),
};

/**
 * The samples of a slot, and of a span of five minutes, as one row for each type; and those of an hour as one for each
 * destination.
 */
export const syncSampleSumsTable = {
  namespace_id: text,
  /** 10, 300 or 3,600. */
  seconds: int,
  /** The begin of the time. */
  slot: timestamptz,
  type: text,
  /** Of the destination; empty: the sum over all of the type. */
  name: text,
  /** The greatest number of the samples. */
  pending: int,
  /** The greatest age of the samples; null: there was none. */
  oldest_seconds: nullable(float),
  /** Attempts that left nothing to do. */
  done: int,
  /** Attempts that failed. */
  failed: int,
  /** Associations that became dirty. */
  arrived: int,
  /** How many attempts failed with which kind of error. */
  errors: json,
};

/**
 * An object at a destination that we wrote, or are about to write (`written_at` null). Only these are removed. A
 * removed one stays as a tombstone (`removed_at`) while a late write may bring it back.
 */
export const syncObjectsTable = {
  association_id: bigintText,
  destination_id: bigintText,
  sub_key: text,
  external_name: text,
  /** The name as the remote compares names; unique in a destination. */
  name_key: text,
  mark: text,
  intended_at: timestamptz,
  /** When it was last written, or looked at and found unchanged. */
  written_at: nullable(timestamptz),
  remote_version: nullable(text),
  /** Keyed hash of the value and tags. */
  fingerprint: nullable(bytea),
  tag_keys: arrayOf(text),
  removed_at: nullable(timestamptz),
  looked_at: nullable(timestamptz),
};

/** Where a standing rule sends what it selects. */
export const syncRuleDestinationsTable = {
  rule_id: bigintText,
  destination_id: bigintText,
};

/**
 * A secret that was made, described anew or deleted in a mount with standing rules, until the sweep has looked at it.
 */
export const syncRuleWorkTable = {
  mount_id: uuid,
  id: generated(bigintText),
  secret_name: text,
};

/** A destination of a kept plan, as it was when it was planned. */
export const syncPlanDestinationsTable = {
  plan_id: uuid,
  destination_id: bigintText,
  type: text,
  name: text,
  /** Of its settings: when it has changed, the plan is not applied. */
  revision: int,
  /** With it and the template, associations are set again when the plan is applied; null: they stay as they are. */
  granularity: nullable(text),
  template: nullable(text),
};

/** An association for which a kept plan has something to do. */
export const syncPlanItemsTable = {
  plan_id: uuid,
  association_id: bigintText,
  destination_id: bigintText,
  mount_path: text,
  secret_name: text,
  /** When it was planned: once it has changed, the plan is not applied. */
  generation: int,
  /** What to do with which object of the destination; no values. */
  actions: json,
  /** The generation that applies it; null: not applied. */
  applied_generation: nullable(int),
};

/** A kept plan, which can be applied once until it expires. */
export const syncPlansTable = {
  id: uuid,
  namespace_id: text,
  created_at: withDefault(timestamptz),
  expires_at: timestamptz,
  /** How many associations it has something to do for. */
  items: withDefault(int),
  applied_at: nullable(timestamptz),
  /** The batch that applies it. */
  batch_id: nullable(uuid),
};

/**
 * A standing rule associates the secrets that it selects as they are written. *active*; *suspended*: its owner may not
 * read or associate what it selects, so it changes nothing; *deleting*: its associations are ended, or kept, and then
 * it is deleted.
 */
export const syncRulesTable = {
  id: generated(bigintText),
  namespace_id: text,
  /** Unique in the namespace. */
  name: text,
  mount_id: uuid,
  /** As it was when the rule was stored; a moved mount keeps its id. */
  mount_path: text,
  prefix: text,
  /** Pattern of the paths below the mount; null: all. */
  glob: nullable(text),
  /** Pairs that the custom metadata of a secret must have. */
  custom_metadata: textMap,
  /** Null: that of the destination, like the template. */
  granularity: nullable(text),
  template: nullable(text),
  adopt: bool,
  /** Who stored the rule: its namespace, policies and entity. */
  owner: json,
  /** Grows each time the rule is stored. */
  revision: withDefault(int),
  state: withDefault(text),
  /** Why it is suspended. */
  reason: nullable(text),
  /** A secret that its owner may not read; the rule is resumed when that changes. */
  denied_secret: nullable(text),
  /** While it is deleted: its associations stay. */
  keeps: withDefault(bool),
  /** The walk also sets associations again whose template, granularity or adopt differs. */
  renews: withDefault(bool),
  /** `held`: its associations are looked at; `secrets`: all secrets of the mount; null: only what is noted. */
  walk: nullable(text),
  walk_mount: withDefault(uuid),
  /** The walk has come this far in the mount `walk_mount`. */
  walk_secret: withDefault(text),
  /** Secrets that the walk has looked at. */
  walked: withDefault(int),
  /** Secrets that there were to look at when the rule was stored, counted up to a bound. */
  total: withDefault(int),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
  /** When a walk last came to its end. */
  walked_at: nullable(timestamptz),
  /** When the sweep last looked at it. */
  turned_at: withDefault(timestamptz),
};
