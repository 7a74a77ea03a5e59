import type { DestinationFacts } from '../facts.ts';

/** For tools and tests; no process loads it. */
export const facts: DestinationFacts = {
  packages: ['@google-cloud/secret-manager', 'google-auth-library'],
  publishedLimit: '600 writes a minute, per project',
  lateWrites: {
    refused: 'late labels and removals, where the etag has changed',
    mended: 'late versions, creations and other removals',
  },
  // A secret and its version are two calls. A removal looks whose it is.
  calls: {
    'one object': { 'first push': 2, change: 1, unchanged: 0, removal: 2 },
    'ten keys': { 'first push': 20, change: 1, unchanged: 0, removal: 20 },
  },
  // A version without data is refused by the service.
  refusals: { code: 'PERMISSION_DENIED', quoted: true },
};
