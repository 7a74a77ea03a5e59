import type { DestinationFacts } from '../facts.ts';

/** For tools and tests; no process loads it. */
export const facts: DestinationFacts = {
  packages: ['@octokit/auth-app', '@octokit/rest', 'libsodium-wrappers'],
  publishedLimit: '900 points a minute, 5 for a write, per token',
  enforced: { form: 'window', units: 900, seconds: 60, waitStep: 1, costs: { read: 1, write: 5 } },
  lateWrites: {
    refused: 'nothing',
    mended: 'all: pushed, and removed, twice without a look, since its versions are in seconds',
  },
  // A put overwrites an existing secret, so the first one looks.
  calls: {
    'one object': { 'first push': 2, change: 1, unchanged: 0, removal: 1 },
    'ten keys': { 'first push': 20, change: 1, unchanged: 0, removal: 10 },
  },
  refusals: { quoted: true },
};
