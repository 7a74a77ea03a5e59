import type { DestinationFacts } from '../facts.ts';

/** For tools and tests; no process loads it. */
export const facts: DestinationFacts = {
  packages: ['@azure/core-rest-pipeline', '@azure/identity', '@azure/keyvault-secrets'],
  publishedLimit: '300 new versions in 10 s, per vault',
  enforced: { form: 'window', units: 300, seconds: 10, waitStep: 1, costs: { read: 0, write: 1 } },
  lateWrites: { refused: 'nothing', mended: 'all' },
  // A put overwrites any secret, so each one looks first. Many removals use the list (two pages for ten) and skip the release tag.
  calls: {
    'one object': { 'first push': 2, change: 2, unchanged: 0, removal: 3 },
    'ten keys': { 'first push': 20, change: 2, unchanged: 0, removal: 12 },
  },
  refusals: { code: 'Forbidden', quoted: false },
};
