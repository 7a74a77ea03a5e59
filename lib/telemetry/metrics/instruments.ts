/**
 * Every instrument of this service: the names, labels and units that dashboards and alert rules rely on. Units are seconds.
 * Labels are few and bounded: `type` is a destination type, `route` a row of the path table prefixed with the type of its engine
 * (`kv/data/*path`), never a path from a request. No label contains the name of a secret or a mount. `destination` is the name of a destination
 * prefixed with the path of its namespace; a setting limits how many there are.
 */
export interface Instrument {
  readonly help: string;
  readonly labels: readonly string[];
  /** Exported for one more release; dashboard and alerts do not use it. */
  readonly deprecated?: true;
}

export const counters = {
  keyferry_http_requests_total: {
    help: 'Requests answered. status is the class, such as 2xx; route is "none" when no row of the path table matches.',
    labels: ['route', 'method', 'status'],
  },
  keyferry_sync_operations_total: {
    help: 'Attempts whose result was written back, by outcome: the resulting status, or retried, unfinished, superseded, lost.',
    labels: ['type', 'outcome'],
  },
  keyferry_sync_failures_total: {
    help: 'Failed attempts, by kind of error.',
    labels: ['type', 'kind'],
  },
  keyferry_sync_destination_failures_total: {
    help: 'Syncs that finally failed, by destination; "other" stands for destinations beyond KEYFERRY_METRICS_DESTINATIONS_MAX.',
    labels: ['type', 'destination'],
  },
  keyferry_sync_claims_total: {
    help: 'Claims of associations, by outcome: claimed, busy (another worker has it), early, clean, disabled, paused.',
    labels: ['type', 'outcome'],
  },
  keyferry_sync_retries_total: {
    help: 'Attempts that follow a failed attempt of the same change.',
    labels: ['type'],
  },
  keyferry_sync_rechecks_total: {
    help: 'Checks of a destination after a call with an unknown outcome, by result: unchanged, mended, repeated (pushed without a check).',
    labels: ['type', 'result'],
  },
  keyferry_sync_gate_refusals_total: {
    help: 'Jobs delayed by the gate of their destination, by reason: rate, concurrency, broken (circuit breaker open).',
    labels: ['type', 'reason'],
  },
  keyferry_sync_drift_looks_total: {
    help: 'Looks for drift at destinations, by result: complete, failed.',
    labels: ['type', 'result'],
  },
  keyferry_sweep_rounds_total: { help: 'Rounds of the sweep, by result: done, failed, sealed.', labels: ['result'] },
  keyferry_sweep_requeued_total: { help: 'Operations without a job that the sweep put in the queue.', labels: [] },
  keyferry_sync_events_total: { help: 'Events of the sync that were told, by kind.', labels: ['kind'] },
  keyferry_sync_notifications_total: {
    help: 'Attempts to send a notification of the sync, by result: delivered, failed (tried again), dead (the last attempt failed).',
    labels: ['result'],
  },
  keyferry_sweep_loops_total: {
    help: 'Turns of the loops of the sweep beside its rounds, by result: done, failed.',
    labels: ['loop', 'result'],
  },
  keyferry_workspace_work_total: {
    help: 'Work of the sweep for workspaces, by result: done, failed (tried again), dead (given up).',
    labels: ['work', 'result'],
  },
  keyferry_unseal_loans_total: {
    help: 'Requests of workers and sweeps for the root key (seal with key shares), by result: lent, refused.',
    labels: ['result'],
  },
  keyferry_unseal_attempts_total: {
    help: 'Attempts of a worker or sweep to borrow the root key, by result: opened, failed.',
    labels: ['result'],
  },
  keyferry_audit_entries_total: {
    help: 'Lines passed to audit devices, by result: recorded, failed. type is the device type.',
    labels: ['type', 'result'],
  },
} as const satisfies Readonly<Record<string, Instrument>>;

export const histograms = {
  keyferry_http_request_duration_seconds: {
    help: 'Time from the receipt of the whole request to its answer.',
    labels: ['route', 'method'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  keyferry_sync_reconcile_duration_seconds: {
    help: 'Time from the claim of an association until its result is written back.',
    labels: ['type'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  keyferry_run_wait_seconds: {
    help: 'Time from the queueing of a plan or apply until an agent has taken it.',
    labels: ['part'],
    buckets: [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
  },
  keyferry_audit_write_duration_seconds: {
    help: 'Time until an audit device has recorded or refused a line. type is the device type.',
    labels: ['type'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
} as const satisfies Readonly<Record<string, Instrument & { readonly buckets: readonly number[] }>>;

export const gauges = {
  keyferry_sync_pending_operations: { help: 'Operations that wait for a worker or are in progress.', labels: [] },
  keyferry_sync_queue_capacity: { help: 'Limit of pending operations (queue_capacity).', labels: [] },
  keyferry_sync_disabled: { help: '1 while the sync is disabled.', labels: [] },
  keyferry_sync_jobs: {
    help: 'Jobs in the queues, by state: waiting, active, delayed, unreadable (set aside).',
    labels: ['type', 'state'],
  },
  keyferry_sync_circuit_breakers: {
    help: 'Destinations whose circuit breaker is open (no calls) or half_open (one operation probes).',
    labels: ['type', 'state'],
  },
  keyferry_sync_gates: {
    help: 'Deprecated: see keyferry_sync_circuit_breakers, whose state "open" is "closed" here.',
    labels: ['type', 'state'],
    deprecated: true,
  },
  keyferry_sync_oldest_dirty_age_seconds: {
    help: 'Age of the oldest change that is not synced yet; 0 when all are.',
    labels: ['type'],
  },
  keyferry_sync_associations: { help: 'Associations, by status.', labels: ['type', 'status'] },
  keyferry_sync_unfolded_counts: {
    help: 'Changes of the counts of associations that the sweep has not replaced by sums; at most 100,000 are counted.',
    labels: [],
  },
  keyferry_sync_drifted_associations: {
    help: 'Associations whose objects a look found to differ from what the sync left, by kind of drift; at most 10,000 are counted.',
    labels: ['type', 'kind'],
  },
  keyferry_sync_oldest_drift_look_age_seconds: {
    help: 'Age of the oldest last look for drift of a destination that is looked at; 0 when there is none.',
    labels: ['type'],
  },
  keyferry_sync_destinations: { help: 'Destinations.', labels: ['type'] },
  keyferry_sync_destination_last_success_timestamp_seconds: {
    help: 'Time of the last successful sync to the destination by this worker, in seconds since 1970.',
    labels: ['type', 'destination'],
  },
  keyferry_workspace_runs: { help: 'Runs of workspaces that have not ended, by status.', labels: ['status'] },
  keyferry_workspace_agents: {
    help: 'Agents that were seen within a day: idle, busy, unknown, exited.',
    labels: ['status'],
  },
  keyferry_workspace_waiting: {
    help: 'Commits that wait for being fetched, and requests to run tasks that wait for being sent.',
    labels: ['work'],
  },
  keyferry_workspace_oldest_waiting_age_seconds: {
    help: 'Age of the oldest of them; 0 when there is none.',
    labels: ['work'],
  },
  keyferry_tokens: {
    help: 'Tokens in the store, including expired ones that the sweep has not removed yet.',
    labels: [],
  },
  keyferry_leases: { help: 'Leases: tokens in the store that have an expiry time.', labels: [] },
  keyferry_sealed: { help: '1 while this process is sealed or the store is not initialised.', labels: [] },
  keyferry_database_up: { help: '1 if PostgreSQL answers this process.', labels: [] },
  keyferry_redis_up: { help: '1 if Redis answers this process.', labels: [] },
  keyferry_database_connections: { help: 'Connections to PostgreSQL, by state: busy, idle.', labels: ['state'] },
  keyferry_database_connections_max: { help: 'Connections to PostgreSQL that this process may open.', labels: [] },
  keyferry_database_waiting: { help: 'Queries that wait for a connection.', labels: [] },
  keyferry_audit_queue_entries: {
    help: 'Lines that audit devices of a type are writing or have queued.',
    labels: ['type'],
  },
  keyferry_audit_queue_characters: { help: 'Characters of these lines.', labels: ['type'] },
  keyferry_sweep_last_success_timestamp_seconds: {
    help: 'Time of the last successful round of the sweep, in seconds since 1970.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Instrument>>;

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;
export type GaugeName = keyof typeof gauges;

type AllInstruments = typeof counters & typeof histograms & typeof gauges;
/** All labels that an instrument requires. */
export type LabelsOf<Name extends keyof AllInstruments> = Readonly<
  Record<AllInstruments[Name]['labels'][number], string>
>;
