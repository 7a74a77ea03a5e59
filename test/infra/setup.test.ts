import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const setup = new URL('../../infra/setup.mjs', import.meta.url).pathname;

/** A checkout with installed packages, and an npm that only reports that it was called. */
async function checkout(changes: { readonly installed?: object; readonly wanted?: object } = {}) {
  const root = await mkdtemp(join(tmpdir(), 'keyferry-setup-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const folder of ['infra', 'bin', 'node_modules/.bin']) await mkdir(join(root, folder), { recursive: true });
  await cp(setup, join(root, 'infra/setup.mjs'));
  const other = process.platform === 'linux' ? 'darwin' : 'linux';
  const needed = {
    'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' },
    'node_modules/ours': { version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch] },
  };
  const ofOthers = { 'node_modules/other': { version: '1.0.0', optional: true, os: [other] } };
  const wanted = { '': { name: 'app' }, ...needed, ...ofOthers, ...changes.wanted };
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages: wanted }));
  const hidden = { packages: { ...needed, ...changes.installed } };
  await writeFile(join(root, 'node_modules/.package-lock.json'), JSON.stringify(hidden));
  await symlink(process.execPath, join(root, 'node_modules/.bin/node'));
  await writeFile(join(root, 'bin/npm'), '#!/bin/sh\necho "npm $*" >>"$(dirname "$0")/calls"\nexit 1\n', {
    mode: 0o755,
  });
  return {
    run: () =>
      spawnSync(process.execPath, [join(root, 'infra/setup.mjs')], {
        env: { PATH: `${join(root, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin` },
      }).status,
    calls: () => readFile(join(root, 'bin/calls'), 'utf8').catch(() => ''),
  };
}

test('what a plain npm ci has installed is not installed again', async () => {
  const { run, calls } = await checkout();
  expect([run(), run()]).toEqual([0, 0]);
  expect(await calls()).toBe('');
});

test.each([
  ['is of another version', { installed: { 'node_modules/one': { version: '0.9.0', integrity: 'sha512-old' } } }],
  ['is missing', { wanted: { 'node_modules/two': { version: '1.0.0' } } }],
  [
    'is missing for this system',
    { wanted: { 'node_modules/two': { version: '1.0.0', optional: true, os: [process.platform] } } },
  ],
  ['is wanted no longer', { installed: { 'node_modules/old': { version: '1.0.0' } } }],
])('a package that %s is installed', async (_what, changes) => {
  const { run, calls } = await checkout(changes);
  expect(run()).toBe(1);
  expect(await calls()).toMatch(/^npm ci /);
});
