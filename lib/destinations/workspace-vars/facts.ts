import type { DestinationFacts } from '../facts.ts';

/** For tools and tests; no process loads it. */
export const facts: DestinationFacts = {
  packages: [],
  publishedLimit: '30 calls a second, per user',
  enforced: { form: 'window', units: 30, seconds: 1, waitStep: 0.1, costs: { read: 1, write: 1 } },
  lateWrites: { refused: 'a late creation where the variable is there', mended: 'all else' },
  // Each variable is a separate call; existing ones are changed by their ids.
  calls: {
    'one object': { 'first push': 1, change: 1, unchanged: 0, removal: 1 },
    'ten keys': { 'first push': 10, change: 1, unchanged: 0, removal: 10 },
  },
  refusals: { quoted: true },
};
