import type { TableNotes } from '../note.ts';

export const notices: TableNotes = {
  sync_events: {
    about: `What happened to the sync, in groups: one row for all syncs of a destination that fail together. Within a namespace the
      numbers grow in the order of the commits, since rows are inserted under a lock of the namespace.`,
    columns: {
      kind: 'One of `eventKinds`.',
      type: 'The destination, by name: an event outlives it. Null: the event concerns no destination.',
      batch_id: 'The batch that ended; each is told once.',
      details: 'Numbers, kinds of error, ids of records. Never a value or a name of a secret.',
    },
  },
  sync_told: {
    about: 'What was last told of a destination, and what is about to be told. A destination in order has no row.',
    columns: {
      failing_since: 'Since when it has failed syncs; null: it has none, or they recovered.',
      counted_at: 'When its failed syncs were last counted, which happens only now and then.',
      failed: 'How many failed syncs were told; 0: the destination counts as well.',
      kinds: 'The kinds of error that were told.',
      circuit_open: 'The circuit was told to be open.',
      circuit_told_at: 'When it was last told to have opened.',
      throttled: 'The destination was told to be throttled.',
      throttled_told_at: 'When it was last told to be throttled.',
    },
  },
  sync_notifications: {
    about:
      'Webhooks that tell events of a namespace. A row with messages to send has a *turn*, which one process takes at a time.',
    columns: {
      name: 'Unique in the namespace.',
      target: 'Sealed JSON of `url` and `secret`. Additional data: `sync_notifications/<id>`.',
      kinds: 'The kinds of events that it tells; empty: all.',
      destinations: 'Patterns `type/name`; empty: all.',
      turn_at: 'When its next message is due; null: none waits.',
      paused_until: 'No message is sent before, since the receiver failed.',
      claimed_until: 'Until when a process has its turn.',
      failures: 'Failed attempts since the last success.',
      last_error: 'Why the last failed attempt failed. Quotes nothing of the reply.',
    },
  },
  sync_deliveries: {
    about: `Messages to receivers: *waiting*, *delivered*, or *dead* after the last attempt. They are kept for a while after their
      end.`,
    columns: {
      n: 'The order in which they are sent.',
      type: 'The destination of the event, by name.',
      body: 'The same at each attempt, because it is signed.',
      state: '`waiting`, `delivered` or `dead`.',
      queued_at: 'When it was created, or last sent again on request.',
      status: 'HTTP status of the last attempt; null: there was no answer.',
    },
  },
};
