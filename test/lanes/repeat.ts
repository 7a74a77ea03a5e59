import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { optionsOf } from '#infra/show/options.ts';

/**
 * `npm run test:repeat`: runs a lane several times in a row and lists the runs that failed. `-- --times 10` is how often, `--busy 2`
 * how many busy loops run beside it, `--lane system` the other lane, `--files <text>` only the test files whose path contains it.
 */
const values = optionsOf('test:repeat', {
  times: { type: 'string', default: '10' },
  busy: { type: 'string', default: '0' },
  lane: { type: 'string', default: 'fast' },
  files: { type: 'string', default: '' },
});

const projects = values.lane === 'system' ? ['--project=system'] : ['--project=shared', '--project=own'];
const args = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
  '--reporter=dot',
  ...projects,
];

const busy = Array.from({ length: Number(values.busy) }, () => new Worker('for (;;);', { eval: true }));
const failed: number[] = [];
for (let run = 1; run <= Number(values.times); run += 1) {
  const start = performance.now();
  const status = await runOnce();
  if (status !== 0) failed.push(run);
  const seconds = Math.round((performance.now() - start) / 1000);
  process.stdout.write(`run ${run}: ${status === 0 ? 'passed' : `failed with status ${status}`} after ${seconds} s\n`);
}
await Promise.all(busy.map((worker) => worker.terminate()));
process.stdout.write(
  `${values.times} runs, ${failed.length} failed${failed.length === 0 ? '' : `: ${failed.join(', ')}`}\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

async function runOnce(): Promise<number> {
  const files = values.files === '' ? [] : [values.files];
  const child = spawn(process.execPath, [...args, ...files], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}
