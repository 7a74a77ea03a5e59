import type { DestinationFacts } from '../facts.ts';

/** For tools and tests; no process loads it. */
export const facts: DestinationFacts = {
  packages: ['@aws-sdk/client-secrets-manager', '@aws-sdk/credential-providers', '@smithy/node-http-handler'],
  assumesRoles: true,
  publishedLimit: '50 calls a second of each kind, per account and region',
  enforced: { form: 'bucket', units: 50, seconds: 1, waitStep: 1, costs: { read: 1, write: 1 } },
  lateWrites: {
    refused: 'a late value: its version id is used',
    mended: 'late tags, creations, removals, keys and replicas',
    putsRefused: true,
  },
  // A removal checks who owns the secret, tags it as released (unless it is one of many) and deletes it. The list of the service
  // may be five minutes old, so it proves nothing.
  calls: {
    'one object': { 'first push': 1, change: 1, unchanged: 0, removal: 3 },
    'ten keys': { 'first push': 10, change: 1, unchanged: 0, removal: 20 },
  },
  refusals: { code: 'AccessDeniedException', quoted: true },
};
