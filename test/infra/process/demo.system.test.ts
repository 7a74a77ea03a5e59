import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';

test('a demo that is interrupted while it starts ends what it started, and removes its data', async () => {
  const demo = spawn(process.execPath, ['infra/demo/main.ts'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void demo.kill('SIGKILL'));
  const ended = once(demo, 'exit');
  let output = '';
  for await (const part of demo.stdout.setEncoding('utf8')) {
    if (output.includes('interrupted:') || demo.killed) continue;
    output += part;
    if (output.includes('Starting PostgreSQL')) demo.kill('SIGINT');
  }
  const [, folder = ''] = /keeps its data in (\S+)/.exec(output) ?? [];
  expect(folder).not.toBe('');
  expect((await ended)[0]).toBe(130);
  expect(existsSync(folder)).toBe(false);
});
