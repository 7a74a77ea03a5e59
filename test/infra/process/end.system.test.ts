import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';

const infra = new URL('../../../infra', import.meta.url).pathname;

/** Runs a program that prints `ready`, sends it the signals and returns how it ended. It is killed with the test at the latest. */
async function run(
  program: string,
  signals: readonly NodeJS.Signals[],
  environment: Readonly<Record<string, string>> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-end-'));
  const pipe = join(folder, 'pipe');
  spawnSync('mkfifo', [pipe]);
  const script = `import { open } from 'node:fs';
    import { runUntilSignal } from ${JSON.stringify(`${infra}/process/run.ts`)};
    const block = (threads) => { for (let thread = 0; thread < threads; thread += 1) open(${JSON.stringify(pipe)}, 'r', () => {}); };
    const never = new Promise(() => setInterval(() => {}, 1_000));
    const ready = () => console.log('ready');
    ${program}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH: process.env['PATH'], UV_THREADPOOL_SIZE: '4', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  const ended = once(child, 'close');
  const ready = once(createInterface({ input: child.stdout }), 'line');
  if ((await Promise.race([ready, ended])).length > 1)
    throw new Error(`the program ended at its start: ${errors.join('\n')}`);
  for (const [index, signal] of signals.entries()) {
    // Signals within one second count as one request.
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, 1_200));
    child.kill(signal);
  }
  const [code, signal] = await ended;
  return { code, signal, errors: errors.join('\n') };
}

test('a process ends with 0 when it has closed', async () => {
  const { code, errors } = await run(
    'await runUntilSignal(async () => { ready(); return { close: async () => {} }; });',
    ['SIGTERM'],
  );
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
});

test.each([1, 4])('a process ends though %i of its threads are in a call that does not return', async (threads) => {
  const program = `await runUntilSignal(async () => { block(${threads}); ready(); return { close: async () => {} }; });`;
  const { signal, errors } = await run(program, ['SIGTERM']);
  expect(signal).toBe('SIGKILL');
  expect(errors).toContain('a call of the operating system does not return');
});

test('a second signal ends it at once, though the pool hangs and the first closes for ever', async () => {
  const program = 'await runUntilSignal(async () => { block(4); ready(); return { close: () => never }; });';
  expect((await run(program, ['SIGTERM', 'SIGTERM'])).signal).toBe('SIGKILL');
});

test.each([
  ['closes', 'return { close: () => never };'],
  ['starts', 'return never;'],
])(
  'a process that %s for ever ends when its time is over, though the pool hangs',
  { timeout: 60_000 },
  async (_what, rest) => {
    const program = `await runUntilSignal(async () => { block(4); ready(); ${rest} }, 2_000);`;
    const { signal, errors } = await run(program, ['SIGTERM'], { KEYFERRY_SHUTDOWN_MS_MAX: '0' });
    expect(signal).toBe('SIGKILL');
    expect(errors).toContain('the work in flight did not end in 2000 ms and is abandoned');
  },
);
