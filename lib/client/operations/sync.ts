import type { Operation } from '../operation.ts';

const association = ['mount', 'secret_name'] as const;
const several = ['secret_prefix', 'secret_names', 'dry_run'] as const;
const planFields = ['mount', 'prefix', 'secret_name', 'limit', 'after'] as const;
const planAllFields = ['type', 'name', 'mount', 'prefix', 'secret', 'limit', 'after'] as const;
/** Select associations. */
const recordFilter = [
  'type',
  'name',
  'status',
  'kind',
  'mount',
  'prefix',
  'secret',
  'rule',
  'unconfirmed',
  'drift',
] as const;

/** Requests below `sys/sync/`. */
export const sync = {
  readConfig: { method: 'GET', path: 'sys/sync/config' },
  patchConfig: { method: 'PATCH', path: 'sys/sync/config', fields: ['disabled', 'disabled_until', 'queue_capacity'] },
  listDestinations: { method: 'LIST', path: 'sys/sync/destinations' },
  listDestinationsOfType: { method: 'LIST', path: 'sys/sync/destinations/{type}' },
  readDestination: { method: 'GET', path: 'sys/sync/destinations/{type}/{name}' },
  /** The fields depend on the type. */
  writeDestination: { method: 'POST', path: 'sys/sync/destinations/{type}/{name}' },
  patchDestination: { method: 'PATCH', path: 'sys/sync/destinations/{type}/{name}' },
  deleteDestination: {
    method: 'DELETE',
    path: 'sys/sync/destinations/{type}/{name}',
    fields: ['purge', 'force_delete'],
  },
  checkDestination: { method: 'GET', path: 'sys/sync/destinations/{type}/{name}/check' },
  /** The fields depend on the type. */
  checkChange: { method: 'POST', path: 'sys/sync/destinations/{type}/{name}/check' },
  planDestination: { method: 'GET', path: 'sys/sync/destinations/{type}/{name}/plan', fields: planFields },
  planChange: {
    method: 'POST',
    path: 'sys/sync/destinations/{type}/{name}/plan',
    fields: [...planFields, 'secret_name_template', 'granularity', 'keep', 'plan_id'],
  },
  planAll: { method: 'GET', path: 'sys/sync/plan', fields: planAllFields },
  keepPlanOfAll: { method: 'POST', path: 'sys/sync/plan', fields: [...planAllFields, 'keep', 'plan_id'] },
  readPlan: { method: 'GET', path: 'sys/sync/plans/{id}' },
  deletePlan: { method: 'DELETE', path: 'sys/sync/plans/{id}' },
  applyPlan: { method: 'POST', path: 'sys/sync/plans/{id}/apply', fields: ['rate'] },
  foreignAt: {
    method: 'GET',
    path: 'sys/sync/destinations/{type}/{name}/foreign',
    fields: ['limit', 'after'],
  },
  associationsOf: {
    method: 'GET',
    path: 'sys/sync/destinations/{type}/{name}/associations',
    fields: ['after', 'limit'],
  },
  destinationsOf: { method: 'GET', path: 'sys/sync/associations/destinations', fields: association },
  associate: {
    method: 'POST',
    path: 'sys/sync/destinations/{type}/{name}/associations/set',
    fields: [...association, ...several, 'adopt'],
  },
  dissociate: {
    method: 'POST',
    path: 'sys/sync/destinations/{type}/{name}/associations/remove',
    fields: [...association, ...several],
  },
  describeTypes: { method: 'GET', path: 'sys/sync/types' },
  describeType: { method: 'GET', path: 'sys/sync/types/{type}' },
  listRecords: { method: 'GET', path: 'sys/sync/records', fields: [...recordFilter, 'limit', 'after'] },
  readRecord: { method: 'GET', path: 'sys/sync/records/{id}' },
  readHistory: { method: 'GET', path: 'sys/sync/records/{id}/history' },
  listBatches: { method: 'LIST', path: 'sys/sync/batches', fields: ['after', 'limit'] },
  createBatch: {
    method: 'POST',
    path: 'sys/sync/batches',
    fields: ['action', ...recordFilter, 'ids', 'older_than', 'all', 'limit', 'rate', 'dry_run'],
  },
  readBatch: { method: 'GET', path: 'sys/sync/batches/{id}' },
  cancelBatch: { method: 'POST', path: 'sys/sync/batches/{id}/cancel' },
  listRules: { method: 'LIST', path: 'sys/sync/rules', fields: ['after', 'limit'] },
  readRule: { method: 'GET', path: 'sys/sync/rules/{rule}' },
  writeRule: {
    method: 'POST',
    path: 'sys/sync/rules/{rule}',
    fields: [
      ...['mount', 'prefix', 'glob', 'custom_metadata', 'destinations', 'granularity', 'secret_name_template', 'adopt'],
      'dry_run',
    ],
  },
  deleteRule: { method: 'DELETE', path: 'sys/sync/rules/{rule}', fields: ['keep'] },
  overview: {
    method: 'GET',
    path: 'sys/sync/overview',
    fields: ['since', 'wait', 'type', 'name', 'find', 'state', 'sort', 'limit', 'after'],
  },
  samples: { method: 'GET', path: 'sys/sync/samples', fields: ['from', 'to', 'step', 'type', 'name'] },
  replay: { method: 'POST', path: 'sys/sync/replay', fields: ['type', 'name', 'sync_status', 'cursor'] },
} as const satisfies Record<string, Operation>;
