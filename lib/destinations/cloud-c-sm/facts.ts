import type { DestinationFacts } from '../facts.ts';

/** For tools and tests; no process loads it. */
export const facts: DestinationFacts = {
  packages: ['@google-cloud/secret-manager', 'google-auth-library'],
  publishedLimit: '600 writes a minute, per project',
  lateWrites: {
    refused: 'late labels and removals, where the etag has changed',
    mended: 'late versions, creations and other removals',
  },
  // A secret and its version are two calls. A version takes no condition, so a change looks first; a removal does.
  calls: {
    'one object': { 'first push': 2, change: 2, unchanged: 0, removal: 1 },
    'ten keys': { 'first push': 20, change: 2, unchanged: 0, removal: 10 },
  },
  // A version without data is refused by the service.
  refusals: { code: 'PERMISSION_DENIED', quoted: true },
};
