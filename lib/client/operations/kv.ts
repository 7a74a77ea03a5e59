import type { Operation } from '../operation.ts';

/** Secrets of a KV mount of version 2. */
export const kv2 = {
  read: { method: 'GET', path: '{mount}/data/{path}', fields: ['version'] },
  write: { method: 'POST', path: '{mount}/data/{path}', fields: ['data', 'options'] },
  patch: { method: 'PATCH', path: '{mount}/data/{path}', fields: ['data', 'options'] },
  deleteLatest: { method: 'DELETE', path: '{mount}/data/{path}', fields: ['plan'] },
  deleteVersions: { method: 'POST', path: '{mount}/delete/{path}', fields: ['versions', 'plan'] },
  undelete: { method: 'POST', path: '{mount}/undelete/{path}', fields: ['versions'] },
  destroy: { method: 'POST', path: '{mount}/destroy/{path}', fields: ['versions', 'plan'] },
  metadata: { method: 'GET', path: '{mount}/metadata/{path}' },
  deleteAll: { method: 'DELETE', path: '{mount}/metadata/{path}', fields: ['plan'] },
  list: { method: 'LIST', path: '{mount}/metadata/{path}', fields: ['after', 'limit'] },
  subkeys: { method: 'GET', path: '{mount}/subkeys/{path}', fields: ['version', 'depth'] },
} as const satisfies Record<string, Operation>;

/** Secrets of a KV mount of version 1. The body of a write is the secret itself. */
export const kv1 = {
  read: { method: 'GET', path: '{mount}/{path}' },
  write: { method: 'POST', path: '{mount}/{path}' },
  delete: { method: 'DELETE', path: '{mount}/{path}' },
  list: { method: 'LIST', path: '{mount}/{path}', fields: ['after', 'limit'] },
} as const satisfies Record<string, Operation>;
