import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { associationsOf } from '../../support/flow/associations.ts';
import { serviceOf } from '../../support/flow/open-service.ts';
import { patience } from '../../support/measures/patience.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-readme-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The command lines of the README's section, without comments. */
async function linesOfReadme(): Promise<readonly string[]> {
  const text = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  const section = /## Five minutes with curl\n([\s\S]*?)\n## /.exec(text)?.[1] ?? '';
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  return blocks.flatMap((block) => block.split('\n')).filter((line) => /^(export|curl) /.test(line));
}

/** Runs the lines literally in one shell and returns the body of each reply. */
async function run(lines: readonly string[]): Promise<readonly string[]> {
  const separated = lines.map((line) => (line.startsWith('curl') ? `${line}; printf '\\x1e'` : line));
  const script = separated.join('\n');
  const shell = spawn('bash', ['-euc', script], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', KEYFERRY: service.address, ROOT_TOKEN: service.rootToken },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: patience.conditionMs,
  });
  const chunks: Buffer[] = [];
  shell.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise((resolve) => shell.once('close', resolve));
  expect(code).toBe(0);
  return Buffer.concat(chunks).toString().split('\x1e').slice(0, -1);
}

test('the five minutes of the README work as written', async () => {
  await writeFile(join(folder, 'destination.json'), JSON.stringify(service.fake(type).destination));
  const lines = await linesOfReadme();
  const calls = lines.filter((line) => line.startsWith('curl'));
  const answers = (await run(lines)).map((text) => (text === '' ? {} : Object(JSON.parse(text))));
  expect(answers).toHaveLength(calls.length);
  expect(calls.length).toBeGreaterThan(8);
  for (const [index, answer] of answers.entries()) expect(answer, calls[index]).not.toHaveProperty('errors');

  const answerTo = (part: string) => answers[calls.findIndex((line) => line.includes(part))]?.data;
  expect(associationsOf(answerTo('associations/set'))).toMatchObject([
    { secret_name: 'my-app', sync_status: 'SYNCED' },
  ]);
  expect(associationsOf(answerTo('associations/remove'))).toMatchObject([{ sync_status: 'UNSYNCED' }]);
  expect(answerTo('"disabled":true')).toMatchObject({ disabled: true });
  expect(service.fake(type).objects().size).toBe(0);
});
