import { defineConfig } from 'vitest/config';
import { ClosingLine } from './support/closing-line.ts';
import { FailedFiles } from './support/failed-files.ts';
import { patience } from './support/patience.ts';

/** Where the paths of files that failed are written, for who runs them again. */
const failedFiles = process.env['KEYFERRY_TEST_FAILED_FILES'];

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/start-services.ts'],
    reporters: ['default', new ClosingLine(), ...(failedFiles === undefined ? [] : [new FailedFiles(failedFiles)])],
    testTimeout: patience.testMs,
    hookTimeout: patience.testMs,
    expect: { poll: { timeout: patience.conditionMs } },
    pool: 'forks',
    maxWorkers: 2,
    // Tests that end processes and wait for recoveries share a machine with others there; what fails twice is wrong.
    retry: process.env['CI'] === undefined ? 0 : 1,
  },
});
