/** A part of the room: its word, and the capability without which it shows nothing. */
export interface Part {
  readonly id: string;
  readonly word: string;
  readonly capability: string;
  readonly path: string;
  /** Belongs to the whole installation. */
  readonly rootOnly: boolean;
}

/** The first part needs nothing: it says what the caller may not read. */
export const parts: readonly Part[] = [
  { id: '', word: 'Doctor', capability: '', path: '', rootOnly: false },
  { id: 'mounts', word: 'Mounts', capability: 'read', path: 'sys/mounts', rootOnly: false },
  { id: 'sync', word: 'Sync', capability: 'read', path: 'sys/sync/config', rootOnly: true },
  { id: 'keys', word: 'Keys', capability: 'read', path: 'sys/key-status', rootOnly: true },
  { id: 'seal', word: 'Seal', capability: 'sudo', path: 'sys/seal', rootOnly: true },
  { id: 'audit', word: 'Audit', capability: 'sudo', path: 'sys/audit', rootOnly: true },
  { id: 'quotas', word: 'Quotas', capability: 'list', path: 'sys/quotas/rate-limit/', rootOnly: true },
  { id: 'versions', word: 'Versions', capability: 'list', path: 'sys/version-history/', rootOnly: false },
];
