import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeAbandoned } from '#core/folders/abandoned.ts';
import { thisOwner } from '#core/folders/owner.ts';
import { makePrivateFolder } from '#core/folders/private-folder.ts';
import { folderOwner } from './owner.ts';

const prefix = 'folders-test';

async function parentFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'folders-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('the folder of a killed process is removed, and that of a living one stays', async () => {
  const parent = await parentFolder();
  const [killed, living] = [await folderOwner(parent, prefix), await folderOwner(parent, prefix)];
  const own = await makePrivateFolder(parent, prefix);
  await writeFile(join(killed.path, 'file'), 'text');
  expect(await removeAbandoned({ parent, prefix })).toBe(0);
  await killed.kill();
  expect(await removeAbandoned({ parent, prefix })).toBe(1);
  expect([killed.path, living.path, own.path].map((path) => existsSync(path))).toEqual([false, true, true]);
  await own.remove();
  expect(existsSync(own.path)).toBe(false);
});

test('a folder in which a process works stays until that process has ended', async () => {
  const parent = await parentFolder();
  const killed = await folderOwner(parent, prefix);
  const orphan = spawn('sleep', ['600'], { cwd: killed.path, stdio: 'ignore' });
  onTestFinished(() => void orphan.kill('SIGKILL'));
  await once(orphan, 'spawn');
  await killed.kill();
  expect(await removeAbandoned({ parent, prefix })).toBe(0);
  const ended = once(orphan, 'exit');
  orphan.kill('SIGKILL');
  await ended;
  expect(await removeAbandoned({ parent, prefix })).toBe(1);
});

test('only folders of this kind are removed, and those of unseen processes only after an hour of silence', async () => {
  const parent = await parentFolder();
  const { place } = thisOwner();
  const named = async (name: string) => {
    await mkdir(join(parent, name));
    return name;
  };
  const dead = `${place}-999999999-1`;
  const kept = [
    await named(`other-${dead}-abcdef`),
    await named(`${prefix}-notes`),
    await named(`${prefix}-${dead}-abcdef-more`),
    await named(`${prefix}-00000000-1-1-abcdef`),
  ];
  await symlink(parent, join(parent, `${prefix}-${dead}-linked`));
  await writeFile(join(parent, `${prefix}-${dead}-afiles`), '');
  const gone = [await named(`${prefix}-${dead}-abcdef`), await named(`${prefix}-00000000-1-1-silent`)];
  const earlier = new Date(Date.now() - 2 * 3_600_000);
  await utimes(join(parent, gone[1] ?? ''), earlier, earlier);
  expect(await removeAbandoned({ parent, prefix })).toBe(2);
  expect(gone.filter((name) => existsSync(join(parent, name)))).toEqual([]);
  expect(kept.filter((name) => !existsSync(join(parent, name)))).toEqual([]);
  expect(existsSync(join(parent, `${prefix}-${dead}-linked`))).toBe(true);
});
