import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeAbandonedRuns } from '#agent/run/abandoned.ts';
import { applyNote, runFolderPrefix } from '#agent/run/folder.ts';
import { folderOwner } from '../../core/folders/owner.ts';

test.each([
  ['that the apply changed', 5_000, true],
  ['that it did not change', -5_000, false],
] as const)('of the folder of a killed agent only a state %s is kept', async (_what, laterMs, isKept) => {
  const parent = await mkdtemp(join(tmpdir(), 'abandoned-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const { path, kill } = await folderOwner(parent, runFolderPrefix);
  await mkdir(join(path, 'configuration'));
  const state = join(path, 'configuration/terraform.tfstate');
  await writeFile(state, 'the state');
  await writeFile(join(path, applyNote), 'run-abc\nconfiguration/terraform.tfstate\n');
  const changed = new Date(Date.now() + laterMs);
  await utimes(state, changed, changed);
  const settings = { folder: parent, user: undefined };
  expect(await removeAbandonedRuns(settings)).toBe(0);
  await kill();
  expect(await removeAbandonedRuns(settings)).toBe(1);
  expect(existsSync(path)).toBe(false);
  const kept = join(parent, 'run-abc.tfstate');
  expect(existsSync(kept)).toBe(isKept);
  if (isKept) expect(await readFile(kept, 'utf8')).toBe('the state');
});

test('a state that a run points to outside of its folder is not kept', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'abandoned-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const { path, kill } = await folderOwner(parent, runFolderPrefix);
  await writeFile(join(path, applyNote), 'run-abc\n../outside\n');
  await writeFile(join(parent, 'outside'), 'not of the run');
  const later = new Date(Date.now() + 5_000);
  await utimes(join(parent, 'outside'), later, later);
  await kill();
  expect(await removeAbandonedRuns({ folder: parent, user: undefined })).toBe(1);
  expect(existsSync(join(parent, 'run-abc.tfstate'))).toBe(false);
});
