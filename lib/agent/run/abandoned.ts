import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeAbandoned } from '#core/folders/abandoned.ts';
import type { AgentSettings } from '../settings.ts';
import { applyNote, runFolderPrefix } from './folder.ts';
import { keepState, keptState } from './keep.ts';
import { openFolders } from './limits/disk.ts';
import { uidsOf } from './users.ts';
import { openWritten, readWritten } from './written.ts';

const noteBytesMax = 4_096;
const runId = /^run-[A-Za-z0-9]{1,64}$/;

type Settings = Pick<AgentSettings, 'folder' | 'user' | 'users'>;

/**
 * Removes the folders of runs whose agent was killed. A state that the apply in such a folder has changed is kept beside it as `<run>.tfstate`,
 * because the last of its changes may not have been uploaded.
 *
 * @returns the number of folders removed
 */
export async function removeAbandonedRuns(settings: Settings): Promise<number> {
  return removeAbandoned({
    parent: settings.folder,
    prefix: runFolderPrefix,
    uids: uidsOf(settings),
    async before(path) {
      await openFolders(path);
      await keepChanged(settings, path);
    },
  });
}

/** The run could write here: what is no note and no state of its own is not kept. */
async function keepChanged({ folder }: Settings, root: string): Promise<void> {
  // The user of the run owns its folder, and could not give it away.
  const { uid, gid } = await lstat(root);
  const writer = { root, user: { uid, gid } };
  const path = join(root, applyNote);
  const note = await readWritten(path, writer, noteBytesMax).catch(() => undefined);
  if (note === undefined) return;
  const [id = '', file = ''] = note.toString().split('\n');
  if (!runId.test(id) || (await exists(keptState(folder, id)))) return;
  const { mtimeMs } = await lstat(path);
  const state = { ...writer, path: join(root, file) };
  const written = await openWritten(state.path, writer).catch(() => undefined);
  await written?.handle.close();
  if (written !== undefined && written.mtimeMs > mtimeMs) await keepState(folder, id, state);
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
