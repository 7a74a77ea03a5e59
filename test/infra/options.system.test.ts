import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { patience } from '../support/measures/patience.ts';

const run = (file: string, ...args: readonly string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [file, ...args], {
    encoding: 'utf8',
    timeout: patience.conditionMs,
  });
  return { status, stderr };
};

test.each([
  [
    'infra/commands/serve.ts',
    ['--port=1'],
    "serve: Unknown option '--port'; it takes none: its settings come from the environment\n",
  ],
  ['infra/commands/sweep.ts', ['--twice'], "sweep: Unknown option '--twice'; there are --once\n"],
  ['infra/demo/main.ts', ['now'], "demo: Unexpected argument 'now'; there are --keep\n"],
  ['infra/commands/worker.ts', ['--type'], "worker: Option '--type <value>' argument missing; there are --type\n"],
])('%s called with %j says in one line what it takes', (file, args, stderr) => {
  expect(run(file, ...args)).toEqual({ status: 2, stderr });
});
