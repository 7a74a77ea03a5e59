import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { bundleProgram, programBytesMax } from '#infra/package/command-line/bundle.ts';
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
    ['LICENSE', 'README.md', 'keyferry-agent.cjs', 'keyferry-program.cjs', 'keyferry.cjs', 'package.json'].map(
      (name) => `package/${name}`,
    ),
  );
  const env = { PATH: process.env['PATH'], HOME: folder, KEYFERRY_ADDR: service.address };
  const { stdout } = await run('npx', ['--yes', '--package', tarball, 'keyferry', 'status', '-o', 'json'], {
    cwd: folder,
    env,
  });
  expect(JSON.parse(stdout)).toMatchObject({ initialized: true, sealed: false });
});

test('the program keeps its compiled code in the cache of the user, and works where it cannot', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-cache-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'keyferry.cjs');
  await bundleProgram(file);
  const cacheOf = (home: string) => readdir(join(home, '.cache/keyferry')).catch(() => []);
  const version = async (environment: Readonly<Record<string, string>>, ...args: string[]) =>
    (await run(process.execPath, [...args, file, '--version'], { env: { PATH: process.env['PATH'], ...environment } }))
      .stdout;
  const home = async (name: string) => {
    const path = join(folder, name);
    await mkdir(path);
    return path;
  };
  const first = await version({ HOME: await home('own') });
  expect(await cacheOf(join(folder, 'own'))).toHaveLength(1);
  expect(await version({ HOME: join(folder, 'own') })).toBe(first);
  expect(await version({ HOME: join(folder, 'nowhere') })).toBe(first);
  // Node 20 has no such cache.
  const older = join(folder, 'older.cjs');
  await writeFile(older, "delete require('node:module').enableCompileCache;");
  expect(await version({ HOME: await home('earlier') }, '--require', older)).toBe(first);
  expect(await cacheOf(join(folder, 'earlier'))).toEqual([]);
  // The home of someone else, as root sees it with `sudo -E`.
  const other = join(folder, 'other.cjs');
  await writeFile(other, 'const own = process.getuid(); process.getuid = () => own + 1;');
  expect(await version({ HOME: await home('foreign') }, '--require', other)).toBe(first);
  expect(await cacheOf(join(folder, 'foreign'))).toEqual([]);
});

test('the package of the repository cannot be published by mistake', async () => {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ private: true });
  expect(manifest).not.toHaveProperty('bin');
});
