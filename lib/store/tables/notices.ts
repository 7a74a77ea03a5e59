// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/notices.ts.
import {
  arrayOf,
  bigintText,
  bool,
  bytea,
  generated,
  int,
  json,
  nullable,
  text,
  timestamptz,
  uuid,
  withDefault,
} from '../sql/kinds.ts';

/**
 * What happened to the sync, in groups: one row for all syncs of a destination that fail together. Within a namespace
 * the numbers grow in the order of the commits, since rows are inserted under a lock of the namespace.
 */
export const syncEventsTable = {
  namespace_id: text,
  id: generated(bigintText),
  occurred_at: withDefault(timestamptz),
  /** One of `eventKinds`. */
  kind: text,
  /** The destination, by name: an event outlives it. Null: the event concerns no destination. */
  type: nullable(text),
  name: nullable(text),
  /** The batch that ended; each is told once. */
  batch_id: nullable(uuid),
  /** Numbers, kinds of error, ids of records. Never a value or a name of a secret. */
  details: json,
};

/** What was last told of a destination, and what is about to be told. A destination in order has no row. */
export const syncToldTable = {
  destination_id: bigintText,
  /** Since when it has failed syncs; null: it has none, or they recovered. */
  failing_since: nullable(timestamptz),
  /** When its failed syncs were last counted, which happens only now and then. */
  counted_at: nullable(timestamptz),
  /** How many failed syncs were told; 0: the destination counts as well. */
  failed: withDefault(int),
  /** The kinds of error that were told. */
  kinds: withDefault(arrayOf(text)),
  /** The circuit was told to be open. */
  circuit_open: withDefault(bool),
  /** When it was last told to have opened. */
  circuit_told_at: nullable(timestamptz),
  /** The destination was told to be throttled. */
  throttled: withDefault(bool),
  /** When it was last told to be throttled. */
  throttled_told_at: nullable(timestamptz),
};

/**
 * Webhooks that tell events of a namespace. A row with messages to send has a *turn*, which one process takes at a
 * time.
 */
export const syncNotificationsTable = {
  id: uuid,
  namespace_id: text,
  /** Unique in the namespace. */
  name: text,
  /** Sealed JSON of `url` and `secret`. Additional data: `sync_notifications/<id>`. */
  target: bytea,
  /** The kinds of events that it tells; empty: all. */
  kinds: arrayOf(text),
  /** Patterns `type/name`; empty: all. */
  destinations: arrayOf(text),
  disabled: withDefault(bool),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
  /** When its next message is due; null: none waits. */
  turn_at: nullable(timestamptz),
  /** No message is sent before, since the receiver failed. */
  paused_until: nullable(timestamptz),
  /** Until when a process has its turn. */
  claimed_until: nullable(timestamptz),
  /** Failed attempts since the last success. */
  failures: withDefault(int),
  last_success_at: nullable(timestamptz),
  last_error_at: nullable(timestamptz),
  /** Why the last failed attempt failed. Quotes nothing of the reply. */
  last_error: nullable(text),
};

/**
 * Messages to receivers: *waiting*, *delivered*, or *dead* after the last attempt. They are kept for a while after
 * their end.
 */
export const syncDeliveriesTable = {
  id: uuid,
  /** The order in which they are sent. */
  n: generated(bigintText),
  notification_id: uuid,
  event_id: bigintText,
  kind: text,
  /** The destination of the event, by name. */
  type: nullable(text),
  name: nullable(text),
  /** The same at each attempt, because it is signed. */
  body: text,
  /** `waiting`, `delivered` or `dead`. */
  state: withDefault(text),
  attempts: withDefault(int),
  created_at: withDefault(timestamptz),
  /** When it was created, or last sent again on request. */
  queued_at: withDefault(timestamptz),
  next_at: timestamptz,
  attempted_at: nullable(timestamptz),
  /** HTTP status of the last attempt; null: there was no answer. */
  status: nullable(int),
  error: nullable(text),
};
