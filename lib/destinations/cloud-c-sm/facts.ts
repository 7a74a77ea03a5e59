import type { DestinationFacts } from '../facts.ts';

/** For tools and tests; no process loads it. */
export const facts: DestinationFacts = {
  packages: ['@google-cloud/secret-manager', 'google-auth-library'],
  publishedLimit: '600 writes a minute, per project',
  enforced: { form: 'window', units: 600, seconds: 60, waitStep: 1, costs: { read: 0, write: 1 } },
  lateWrites: {
    refused: 'late labels and removals, where the etag has changed',
    mended: 'late versions, creations and other removals',
  },
  // A secret and its version are two calls. A change looks first, as a version cannot be added conditionally; a removal can be conditional.
  calls: {
    'one object': { 'first push': 2, change: 2, unchanged: 0, removal: 1 },
    'ten keys': { 'first push': 20, change: 2, unchanged: 0, removal: 10 },
  },
  refusals: { code: 'PERMISSION_DENIED', quoted: true },
};
