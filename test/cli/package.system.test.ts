import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { programBytesMax } from '#infra/package/command-line/bundle.ts';
import { packProgram } from '#infra/package/command-line/pack.ts';
import { serviceOf } from '../support/flow/open-service.ts';

const service = serviceOf([]);
const run = promisify(execFile);
const root = new URL('../..', import.meta.url).pathname;

test('the packed program runs by npx with nothing else installed, and is small', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-package-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { tarball, programBytes } = await packProgram(folder);
  expect(programBytes).toBeLessThanOrEqual(programBytesMax);
  expect((await stat(tarball)).size).toBeLessThan(programBytesMax);
  const { stdout: names } = await run('tar', ['-tzf', tarball]);
  expect(names.trim().split('\n').sort()).toEqual(
    ['LICENSE', 'README.md', 'keyferry-agent.cjs', 'keyferry.cjs', 'package.json'].map((name) => `package/${name}`),
  );
  const env = { PATH: process.env['PATH'], HOME: folder, KEYFERRY_ADDR: service.address };
  const { stdout } = await run('npx', ['--yes', '--package', tarball, 'keyferry', 'status', '-o', 'json'], {
    cwd: folder,
    env,
  });
  expect(JSON.parse(stdout)).toMatchObject({ initialized: true, sealed: false });
});

test('the package of the repository cannot be published by mistake', async () => {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ private: true });
  expect(manifest).not.toHaveProperty('bin');
});
