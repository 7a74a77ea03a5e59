import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '#core/log/open.ts';
import { scan } from '../../architecture/scan.ts';

const root = resolve(import.meta.dirname, '../../..');
const files = (await readdir(join(root, 'lib'), { recursive: true })).filter((file) => file.endsWith('.ts'));

test('no child loggers are created, so none is kept longer than it is used', async () => {
  expect(files.length).toBeGreaterThan(100);
  const makers: string[] = [];
  for (const file of files) {
    const { code } = scan(`lib/${file}`, await readFile(join(root, 'lib', file), 'utf8'));
    if (/\.child\s*\(|\bpino\s*\(/.test(code)) makers.push(file);
  }
  expect(makers).toEqual(['core/log/open.ts']);
});

test.each([
  ['debug', 4],
  ['info', 3],
  ['warn', 2],
  ['error', 1],
] as const)('the level %s applies to every line of any component', (level, lines) => {
  const written: string[] = [];
  const log = openLog({ KEYFERRY_LOG_LEVEL: level }, { write: (line: string) => void written.push(line) });
  log.scope?.({ part: 'below' }, () => {
    for (const one of ['debug', 'info', 'warn', 'error'] as const) log[one]({}, one);
  });
  expect(written.length).toBe(lines);
});
