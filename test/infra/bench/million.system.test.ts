import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { patience } from '../../support/measures/patience.ts';

const run = promisify(execFile);
const capacity = 400 * definitions.length;
/** It pushes thousands. */
const msMax = 3 * patience.testMs;

test(
  'a backlog fills the queue to its capacity, waits while the sync is disabled, and is cleared',
  async () => {
    const { stdout } = await run(process.execPath, ['infra/bench/main.ts', '--million', '--quick'], {
      timeout: msMax,
    });
    expect(stdout).toContain(
      `The queue holds ${capacity} operations exactly; setting one more is refused; no destination was called`,
    );
    expect(stdout).toMatch(
      new RegExp(`All ${capacity} and those that did not fit are in line, in \\d+ calls; nothing was lost`),
    );
    for (const what of ['Redis, data', 'PostgreSQL, processes', 'API', 'worker repo-host'])
      expect(stdout).toContain(what);
  },
  msMax,
);
