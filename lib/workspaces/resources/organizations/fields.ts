import { z } from 'zod';
import { flag, oneOf, text, whole } from '#path/jsonapi/fields.ts';

const charactersMax = 64;

export const organizationName = () =>
  text(charactersMax).regex(/^[A-Za-z0-9_-]+$/, 'can only contain letters, numbers, "_", and "-"');

export const email = () => text(254).regex(/^[^\s@]+@[^\s@]+$/, 'is not an email address');

/** Minutes, up to about two years. */
const minutes = () => whole(1, 1_000_000).nullable();

/** Attributes of an organization that have a column. */
export const columnFields = {
  name: organizationName(),
  email: email(),
  'default-execution-mode': oneOf(['remote', 'local', 'agent']).nullable(),
  'allow-force-delete-workspaces': flag().nullable(),
  'assessments-enforced': flag().nullable(),
};

/** Attributes that are stored without effect. A login policy is rejected, since the service would not enforce it. */
export const settingFields = {
  'aggregated-commit-status-enabled': flag().nullable(),
  'collaborator-auth-policy': oneOf(['password']).nullable(),
  'cost-estimation-enabled': flag().nullable(),
  'owners-team-saml-role-id': text(255).nullable(),
  'send-passing-statuses-for-untriggered-speculative-plans': flag().nullable(),
  'session-remember': minutes(),
  'session-timeout': minutes(),
  'speculative-plan-management-enabled': flag().nullable(),
  'user-tokens-enabled': z.literal(true, 'cannot be turned off here').nullable(),
} satisfies Record<string, z.ZodType>;

/** Default settings. */
export const settingDefaults = {
  'aggregated-commit-status-enabled': true,
  'collaborator-auth-policy': 'password',
  'cost-estimation-enabled': false,
  'owners-team-saml-role-id': null,
  'send-passing-statuses-for-untriggered-speculative-plans': false,
  'session-remember': null,
  'session-timeout': null,
  'speculative-plan-management-enabled': true,
  'user-tokens-enabled': true,
} satisfies Record<keyof typeof settingFields, unknown>;
