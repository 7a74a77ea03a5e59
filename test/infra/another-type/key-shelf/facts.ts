import type { DestinationFacts } from '#destinations/facts.ts';

export const facts: DestinationFacts = {
  packages: [],
  publishedLimit: '600 calls a minute, per token',
  enforced: { form: 'window', units: 600, seconds: 60, waitStep: 1, costs: { read: 1, write: 1 } },
  lateWrites: {
    refused: 'a late value or removal: its version is not the last',
    mended: 'all else',
    putsRefused: true,
    removalsRefused: true,
  },
  calls: {
    'one object': { 'first push': 1, change: 1, unchanged: 0, removal: 1 },
    'ten keys': { 'first push': 10, change: 1, unchanged: 0, removal: 10 },
  },
  refusals: { quoted: false },
};
