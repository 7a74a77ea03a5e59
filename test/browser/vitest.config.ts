import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { patience } from '../support/measures/patience.ts';

/** `npm run test:browser`: journeys through the web page in Chromium, against a service of this machine. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    globalSetup: ['test/browser/support/chromium.ts', 'test/start-services.ts'],
    include: ['test/browser/**/*.journey.ts'],
    setupFiles: ['test/support/checked-rows.ts'],
    expect: { poll: { timeout: patience.conditionMs } },
    testTimeout: 3 * patience.testMs,
    hookTimeout: 2 * patience.testMs,
    maxWorkers: 1,
    pool: 'forks',
  },
});
