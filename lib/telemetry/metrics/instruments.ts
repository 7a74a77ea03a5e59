/**
 * Every instrument of this service: the names, labels and units that dashboards and alert rules rely on. Units are seconds.
 * Labels are few and bounded: `type` is a destination type, `route` a row of the path table behind the type of its engine
 * (`kv/data/*path`), never a path that somebody sent. No label holds the name of a secret or a mount. `destination` is the name of a
 * destination, behind the path of its namespace, of so many as a setting allows.
 */
export interface Instrument {
  readonly help: string;
  readonly labels: readonly string[];
  /** Exported for one more release; dashboard and alerts do not use it. */
  readonly deprecated?: true;
}

export const counters = {
  keyferry_http_requests_total: {
    help: 'Requests answered. status is its class, such as 2xx; route is "none" where no row of the path table was found.',
    labels: ['route', 'method', 'status'],
  },
  keyferry_sync_operations_total: {
    help: 'Attempts written back, by outcome: the status they led to, or retried, unfinished, superseded, lost.',
    labels: ['type', 'outcome'],
  },
  keyferry_sync_failures_total: {
    help: 'Attempts that failed, by the kind of their error.',
    labels: ['type', 'kind'],
  },
  keyferry_sync_destination_failures_total: {
    help: 'Syncs that failed for good, by destination; "other" are those beyond KEYFERRY_METRICS_DESTINATIONS_MAX.',
    labels: ['type', 'destination'],
  },
  keyferry_sync_claims_total: {
    help: 'Claims of associations, by outcome: claimed, busy (another worker has it), early, clean, disabled.',
    labels: ['type', 'outcome'],
  },
  keyferry_sync_retries_total: {
    help: 'Attempts that were begun after a failed one of the same change.',
    labels: ['type'],
  },
  keyferry_sync_rechecks_total: {
    help: 'Looks at a destination after a call whose end was not seen, by result: unchanged, mended, repeated (pushed without a look).',
    labels: ['type', 'result'],
  },
  keyferry_sync_gate_refusals_total: {
    help: 'Jobs that the gate of their destination delayed, by reason: rate, concurrency, broken (circuit breaker open).',
    labels: ['type', 'reason'],
  },
  keyferry_sweep_rounds_total: { help: 'Rounds of the sweep, by result: done, failed, sealed.', labels: ['result'] },
  keyferry_sweep_requeued_total: { help: 'Operations without a job that the sweep put in the queue.', labels: [] },
  keyferry_unseal_loans_total: {
    help: 'Requests of workers and sweeps for the root key, with key shares, by result: lent, refused.',
    labels: ['result'],
  },
  keyferry_unseal_attempts_total: {
    help: 'Attempts of a worker or sweep to borrow the root key, by result: opened, failed.',
    labels: ['result'],
  },
  keyferry_audit_entries_total: {
    help: 'Lines given to audit devices, by result: recorded, failed. type is that of the device.',
    labels: ['type', 'result'],
  },
} as const satisfies Readonly<Record<string, Instrument>>;

export const histograms = {
  keyferry_http_request_duration_seconds: {
    help: 'From the whole request to its answer.',
    labels: ['route', 'method'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  keyferry_sync_reconcile_duration_seconds: {
    help: 'From the claim of an association to its outcome being written back.',
    labels: ['type'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  keyferry_audit_write_duration_seconds: {
    help: 'From a line given to an audit device to its being recorded or refused. type is that of the device.',
    labels: ['type'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
} as const satisfies Readonly<Record<string, Instrument & { readonly buckets: readonly number[] }>>;

export const gauges = {
  keyferry_sync_pending_operations: { help: 'Operations that wait for a worker or are in its hands.', labels: [] },
  keyferry_sync_queue_capacity: { help: 'Limit of pending operations (queue_capacity).', labels: [] },
  keyferry_sync_disabled: { help: '1 while the sync is disabled.', labels: [] },
  keyferry_sync_jobs: {
    help: 'Jobs in the queues, by state: waiting, active, delayed, unreadable (set aside).',
    labels: ['type', 'state'],
  },
  keyferry_sync_circuit_breakers: {
    help: 'Destinations whose circuit breaker is open (no calls), or half_open: one operation probes.',
    labels: ['type', 'state'],
  },
  keyferry_sync_gates: {
    help: 'Deprecated: see keyferry_sync_circuit_breakers, whose state "open" is "closed" here.',
    labels: ['type', 'state'],
    deprecated: true,
  },
  keyferry_sync_oldest_dirty_age_seconds: {
    help: 'Age of the oldest change that has not arrived; 0: all have.',
    labels: ['type'],
  },
  keyferry_sync_associations: { help: 'Associations, by status.', labels: ['type', 'status'] },
  keyferry_sync_destinations: { help: 'Destinations.', labels: ['type'] },
  keyferry_sync_destination_last_success_timestamp_seconds: {
    help: 'When this worker last finished a sync to the destination without an error, in seconds since 1970.',
    labels: ['type', 'destination'],
  },
  keyferry_tokens: {
    help: 'Tokens in the store, expired ones that the sweep has not dropped yet among them.',
    labels: [],
  },
  keyferry_leases: { help: 'Leases: tokens in the store that expire.', labels: [] },
  keyferry_sealed: { help: '1 while this process is sealed or the store is not initialised.', labels: [] },
  keyferry_database_up: { help: '1 if PostgreSQL answers this process.', labels: [] },
  keyferry_redis_up: { help: '1 if Redis answers this process.', labels: [] },
  keyferry_database_connections: { help: 'Connections to PostgreSQL, by state: busy, idle.', labels: ['state'] },
  keyferry_database_connections_max: { help: 'Connections to PostgreSQL that this process may open.', labels: [] },
  keyferry_database_waiting: { help: 'Queries that wait for a connection.', labels: [] },
  keyferry_audit_queue_entries: {
    help: 'Lines that audit devices of a type are writing or have not begun with.',
    labels: ['type'],
  },
  keyferry_audit_queue_characters: { help: 'Characters of these lines.', labels: ['type'] },
  keyferry_sweep_last_success_timestamp_seconds: {
    help: 'When the last round of the sweep was done, in seconds since 1970.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Instrument>>;

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;
export type GaugeName = keyof typeof gauges;

type AllInstruments = typeof counters & typeof histograms & typeof gauges;
/** The labels that an instrument has to be given, all of them. */
export type LabelsOf<Name extends keyof AllInstruments> = Readonly<
  Record<AllInstruments[Name]['labels'][number], string>
>;
