import type { Operation } from '../operation.ts';

/** Entities, and the second factors of their logins. */
export const identity = {
  mergeEntities: { method: 'POST', path: 'identity/entity/merge', fields: ['from_entity_ids', 'to_entity_id'] },
  enrolSelf: { method: 'POST', path: 'identity/mfa/method/totp/generate', fields: ['method_id'] },
  enrolEntity: {
    method: 'POST',
    path: 'identity/mfa/method/totp/admin-generate',
    fields: ['method_id', 'entity_id'],
  },
  destroySecret: {
    method: 'POST',
    path: 'identity/mfa/method/totp/admin-destroy',
    fields: ['method_id', 'entity_id'],
  },
} as const satisfies Record<string, Operation>;
