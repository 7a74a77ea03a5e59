import { defineConfig } from 'vitest/config';
import { ClosingLine } from './support/closing-line.ts';
import { patience } from './support/patience.ts';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/start-services.ts'],
    reporters: ['default', new ClosingLine()],
    testTimeout: patience.testMs,
    hookTimeout: patience.testMs,
    expect: { poll: { timeout: patience.conditionMs } },
    pool: 'forks',
    maxWorkers: 2,
    // Tests that end processes and wait for recoveries share a machine with others there; what fails twice is wrong.
    retry: process.env['CI'] === undefined ? 0 : 1,
  },
});
