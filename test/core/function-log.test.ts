import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;

test('a function that is killed right after a few lines has written them', () => {
  const program = `
    import { openFunctionLog } from './lib/core/log/open.ts';
    const log = openFunctionLog({ KEYFERRY_LOG_LEVEL: 'info' });
    for (let line = 1; line <= 20; line += 1) log.info({ line }, 'metrics');
    process.kill(process.pid, 'SIGKILL');`;
  const args = ['--input-type=module', '--eval', program];
  const { stderr, signal } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect(signal).toBe('SIGKILL');
  expect(stderr.split('\n').filter((text) => text.includes('"metrics"'))).toHaveLength(20);
});
