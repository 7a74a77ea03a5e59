import type { DestinationFacts } from '../facts.ts';

/** For tools and tests; no process loads it. */
export const facts: DestinationFacts = {
  packages: [],
  publishedLimit: '120 writes a minute, per project',
  enforced: { form: 'window', units: 120, seconds: 60, waitStep: 1, costs: { read: 0, write: 1 } },
  lateWrites: { refused: 'a late creation where the variable is there', mended: 'all else' },
  // New variables go in one call; existing ones are changed by their ids.
  calls: {
    'one object': { 'first push': 1, change: 1, unchanged: 0, removal: 1 },
    'ten keys': { 'first push': 1, change: 1, unchanged: 0, removal: 10 },
  },
  refusals: { code: 'bad_request', quoted: false },
};
