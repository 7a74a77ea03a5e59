import type { Group } from './verb.ts';

/** All commands, in the order of the help. */
export const groups: readonly Group[] = [
  {
    name: 'status',
    summary: 'Show the state of the server and of the sync',
    load: async () => [(await import('./verbs/status/status.ts')).status],
  },
  {
    name: 'login',
    summary: 'Log in, and store the token for later commands',
    load: async () => [(await import('./verbs/session/login.ts')).login],
  },
  {
    name: 'logout',
    summary: 'Revoke the token and forget it',
    load: async () => [(await import('./verbs/session/logout.ts')).logout],
  },
  {
    name: 'whoami',
    summary: 'Show who the token belongs to, and what it may do',
    load: async () => [(await import('./verbs/session/whoami.ts')).whoami],
  },
  {
    name: 'init',
    summary: 'Initialise a new installation',
    load: async () => [(await import('./verbs/seal/init.ts')).init],
  },
  {
    name: 'unseal',
    summary: 'Give the server the key shares that unseal it',
    load: async () => [(await import('./verbs/seal/unseal.ts')).unseal],
  },
  {
    name: 'kv',
    summary: 'Read and write secrets',
    async load() {
      const [read, write, remove] = await Promise.all([
        import('./verbs/kv/read.ts'),
        import('./verbs/kv/write.ts'),
        import('./verbs/kv/remove.ts'),
      ]);
      return [
        read.kvGet,
        write.kvPut,
        write.kvPatch,
        read.kvList,
        read.kvHistory,
        remove.kvDelete,
        remove.kvUndelete,
        remove.kvDestroy,
      ];
    },
  },
  {
    name: 'api',
    summary: 'Send any request to the server',
    load: async () => [(await import('./verbs/api.ts')).api],
  },
  {
    name: 'policies',
    summary: 'Manage policies',
    load: async () => (await import('./verbs/access/policies.ts')).policies,
  },
  {
    name: 'tokens',
    summary: 'Manage tokens',
    load: async () => (await import('./verbs/access/tokens.ts')).tokens,
  },
  {
    name: 'audit',
    summary: 'Manage audit devices',
    load: async () => (await import('./verbs/access/audit.ts')).audit,
  },
  {
    name: 'destinations',
    summary: 'Manage the destinations of the sync',
    load: async () => (await import('./verbs/destinations/destinations.ts')).destinations,
  },
  {
    name: 'records',
    summary: 'Show the state of all syncs',
    load: async () => (await import('./verbs/sync/records.ts')).records,
  },
  {
    name: 'batches',
    summary: 'Change many syncs in the background',
    load: async () => (await import('./verbs/sync/batches.ts')).batches,
  },
  {
    name: 'rules',
    summary: 'Sync secrets as they are written, by standing rules',
    load: async () => (await import('./verbs/sync/rules.ts')).rules,
  },
  {
    name: 'plan',
    summary: 'Show what a sync would create, update, delete and refuse, without writing',
    load: async () => [(await import('./verbs/destinations/plan.ts')).plan],
  },
  {
    name: 'drift',
    summary: 'Show what was changed or removed at a destination behind the sync',
    load: async () => [(await import('./verbs/destinations/drift.ts')).drift],
  },
  {
    name: 'foreign',
    summary: 'List objects at a destination that match its name template but belong to no sync',
    load: async () => [(await import('./verbs/destinations/foreign.ts')).foreign],
  },
  {
    name: 'sync',
    summary: 'Copy a secret to a destination, and keep the copy up to date',
    load: async () => [(await import('./verbs/sync/associate.ts')).associate],
  },
  {
    name: 'unsync',
    summary: 'Remove the copy of a secret from a destination',
    load: async () => [(await import('./verbs/sync/associate.ts')).dissociate],
  },
  {
    name: 'replay',
    summary: 'Queue failed syncs again; by a filter also others',
    load: async () => [(await import('./verbs/sync/replay.ts')).replay],
  },
  {
    name: 'pause',
    summary: 'Pause all syncs, or those to one destination; changes wait',
    load: async () => [(await import('./verbs/sync/pause.ts')).pause],
  },
  {
    name: 'resume',
    summary: 'Resume all syncs, or those to one destination; what waits is pushed',
    load: async () => [(await import('./verbs/sync/pause.ts')).resume],
  },
  {
    name: 'wait',
    summary: 'Wait until a secret, or everything at a destination, is synced',
    load: async () => [(await import('./verbs/sync/wait.ts')).wait],
  },
  {
    name: 'events',
    summary: 'Print the events of the sync',
    load: async () => [(await import('./verbs/notices/events.ts')).events],
  },
  {
    name: 'notifications',
    summary: 'Manage the webhooks that tell events of the sync',
    load: async () => (await import('./verbs/notices/notifications.ts')).notifications,
  },
  {
    name: 'workspaces',
    summary: 'Look at workspaces, lock them, fetch their states',
    async load() {
      const [{ workspaceVerbs }, { statePull }] = await Promise.all([
        import('./verbs/workspaces/workspaces.ts'),
        import('./verbs/workspaces/state.ts'),
      ]);
      return [...workspaceVerbs, statePull];
    },
  },
  {
    name: 'agent',
    summary: 'Run the plans and applies of workspaces on this machine',
    load: async () => [(await import('./verbs/workspaces/agent.ts')).agent],
  },
  {
    name: 'doctor',
    summary: 'Show what is wrong with this installation, and what helps',
    load: async () => [(await import('./verbs/doctor.ts')).doctor],
  },
  {
    name: 'completion',
    summary: 'Print a script with which a shell completes command lines',
    load: async () => [(await import('./verbs/completion.ts')).completionOf(groups)],
  },
];
