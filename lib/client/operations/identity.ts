import type { Operation } from '../operation.ts';

/** Entities, the second factors of their logins, and logins of other systems. */
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
  authorize: {
    method: 'POST',
    path: 'identity/oidc/provider/{provider}/authorize',
    fields: [
      'scope',
      'response_type',
      'client_id',
      'redirect_uri',
      'state',
      'nonce',
      'max_age',
      'code_challenge',
      'code_challenge_method',
      'request',
      'request_uri',
    ],
  },
} as const satisfies Record<string, Operation>;
