import { api, apiAndWorker, type Setting, worker } from './setting.ts';

export const syncSettings = {
  KEYFERRY_SYNC_WAIT_MS: {
    readers: api,
    meaning:
      'How long `associations/set` and `remove` wait for their own push. A check of a destination waits twice as long for a worker',
  },
  KEYFERRY_SYNC_CONCURRENCY: { readers: worker, meaning: 'Concurrent operations per worker and type' },
  KEYFERRY_SYNC_SPACING_MS: {
    readers: worker,
    meaning:
      'Distance between two pushes of one association, times the number of waiting changes (25 at most). `set` and `remove` are not delayed; 0: none',
  },
  KEYFERRY_SYNC_ATTEMPTS_MAX: { readers: worker, meaning: 'Attempts of a push' },
  KEYFERRY_SYNC_RETRY_MS_FIRST: {
    readers: worker,
    meaning: 'First delay between two attempts; each further delay doubles, and half of it is random',
  },
  KEYFERRY_SYNC_RETRY_MS_MAX: { readers: worker, meaning: 'Longest delay between two attempts' },
  KEYFERRY_SYNC_CONNECT_MS_MAX: { readers: worker, meaning: 'Limit for connecting to a destination' },
  KEYFERRY_SYNC_REQUEST_MS_MAX: { readers: worker, meaning: 'Limit for one call to a destination' },
  KEYFERRY_SYNC_OPERATION_MS_MAX: {
    readers: worker,
    meaning:
      'Limit for one operation. Together with `KEYFERRY_SYNC_REQUEST_MS_MAX` at most 0.9 of `KEYFERRY_SYNC_LOCK_MS`',
  },
  KEYFERRY_SYNC_LOCK_MS: {
    readers: apiAndWorker,
    meaning: 'How long a worker holds an operation without renewing its lock',
  },
  KEYFERRY_SYNC_RECHECK_MS: {
    readers: worker,
    meaning: 'How long after a write without a known outcome its destination is checked for the last time',
  },
  KEYFERRY_SYNC_DRIFT_EVERY_MS: {
    readers: worker,
    meaning: 'How often each destination is looked at for changes that the sync did not make; 0: never',
  },
  KEYFERRY_SWEEP_MS: { readers: ['sweep', 'development server'], meaning: 'Pause between two rounds of the sweep' },
  KEYFERRY_DOORBELL_SQS: {
    readers: ['API', 'sweep', 'functions'],
    meaning:
      'Where workers are functions: a JSON object, destination type → address of the SQS queue that wakes its function',
  },
  KEYFERRY_CREDENTIALS_DIR: {
    readers: apiAndWorker,
    meaning:
      'Folder from which `credentials: "@path"` of a destination is read, the same for API and workers. Without it such credentials are refused',
  },
  KEYFERRY_CREDENTIALS_ENDPOINTS: {
    readers: worker,
    meaning:
      "Addresses, separated by commas, at which credentials from that folder may be used, in addition to the provider's own",
  },
} as const satisfies Readonly<Record<string, Setting>>;
