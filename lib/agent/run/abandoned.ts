import { chmod, constants, copyFile, lstat, readFile, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { removeAbandoned } from '#core/folders/abandoned.ts';
import type { AgentSettings } from '../settings.ts';
import { applyNote, runFolderPrefix } from './folder.ts';

const noteBytesMax = 4_096;
const runId = /^run-[A-Za-z0-9]{1,64}$/;

/**
 * Removes the folders of runs whose agent was killed. A state that the apply in such a folder has changed is kept beside it as `<run>.tfstate`,
 * because the last of its changes may not have been uploaded.
 *
 * @returns the number of folders removed
 */
export async function removeAbandonedRuns({ folder, user }: Pick<AgentSettings, 'folder' | 'user'>): Promise<number> {
  return removeAbandoned({
    parent: folder,
    prefix: runFolderPrefix,
    uids: user === undefined ? [] : [user.uid],
    before: (path) => keepState(folder, path),
  });
}

async function keepState(parent: string, path: string): Promise<void> {
  const note = join(path, applyNote);
  const written = await lstat(note).catch(() => undefined);
  if (written === undefined || !written.isFile() || written.size > noteBytesMax) return;
  const [id = '', file = ''] = (await readFile(note, 'utf8')).split('\n');
  const state = join(path, file);
  const changed = await lstat(state).catch(() => undefined);
  // The run could write here: only a file of its own folder is kept.
  if (!runId.test(id) || changed === undefined || !changed.isFile() || changed.mtimeMs <= written.mtimeMs) return;
  const inside = relative(await realpath(path), await realpath(state));
  if (inside.startsWith('..')) return;
  const kept = join(parent, `${id}.tfstate`);
  if ((await lstat(kept).catch(() => undefined)) !== undefined) return;
  await copyFile(state, kept, constants.COPYFILE_EXCL);
  await chmod(kept, 0o600);
}
