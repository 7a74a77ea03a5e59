import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { filesByLane, type Lane, lanes } from './lanes/lanes.ts';
import { LongestFirst } from './lanes/order.ts';
import { patience } from './support/measures/patience.ts';
import { ClosingLine } from './support/servers/closing-line.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = filesByLane(root);

/** `npm test` runs the lanes `shared` and `own`, `npm run test:system` the lane `system`. Without `--project` all run. */
export default defineConfig({
  root,
  test: {
    globalSetup: ['test/start-services.ts'],
    reporters: ['default', new ClosingLine()],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: lanes.map(projectOf),
  },
});

function projectOf(lane: Lane): TestProjectInlineConfiguration {
  return {
    root,
    test: {
      name: lane,
      include: [...files[lane]],
      isolate: lane !== 'shared',
      setupFiles: ['test/support/checked-rows.ts'],
      testTimeout: patience.testMs,
      hookTimeout: patience.testMs,
      expect: { poll: { timeout: patience.conditionMs } },
      pool: 'forks',
    },
  };
}
