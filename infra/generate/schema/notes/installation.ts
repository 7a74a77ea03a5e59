import type { TableNotes } from '../note.ts';

export const installation: TableNotes = {
  audit_devices: {
    columns: { settings: 'Sealed: the options, which may hold credentials, and the salt.' },
  },
  audit_headers: {
    about: 'Headers of requests that are recorded.',
    columns: { name: 'In lower case.' },
  },
  key_attempts: {
    about: 'One row per kind, while holders of key shares submit them.',
    columns: { state: 'Sealed: the request of the attempt, and the shares submitted so far.' },
  },
  lineage: { about: 'One row: the history of the database server that the sync has last seen.' },
  quotas: {
    columns: { kind: '`rate-limit` or `lease-count`.', quota: 'Its form depends on the kind.' },
  },
  revisions: {
    about:
      'Counts the changes of data that processes copy (`mounts`, `policies`); a copy with another number is outdated.',
  },
  schema_migrations: { about: 'The completed steps of the schema.' },
  seal: {
    about: 'One row. The columns that are set depend on the type of the seal.',
    columns: {
      root_key: 'The root key under the unseal key, or under the outer key.',
      key_id: 'The key of the key service that wrapped the root key, with its version; otherwise empty.',
      keyring: 'The keyring under the root key.',
      revision: 'Grows with each rotation, so that other processes reload the keyring.',
      recovery_shares: 'The number of shares of the recovery key of an automatic seal; 0 without a recovery key.',
      recovery_key: 'Sealed. Additional data: `seal/recovery_key/<cluster_id>`.',
      seals: 'How often an operator has sealed the installation.',
    },
  },
  settings: {
    about: 'Settings of the whole service that its API changes. Nothing here is sensitive.',
    columns: { name: '`cors`, `ui-headers`.' },
  },
};
