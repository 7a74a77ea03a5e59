import { tmpdir } from 'node:os';
import { removeAbandoned } from '#core/folders/abandoned.ts';
import { makePrivateFolder, type PrivateFolder } from '#core/folders/private-folder.ts';

const prefix = 'keyferry-git';
/** Interval between two looks for folders that killed processes left behind, in milliseconds. */
const lookMs = 900_000;

let lookAt = Number.NEGATIVE_INFINITY;

/** Makes the folder of a repository, after those of killed processes were removed. */
export async function makeGitFolder(): Promise<PrivateFolder> {
  await tidyGitFolders();
  return makePrivateFolder(tmpdir(), prefix);
}

/** Removes the folders of killed processes, unless this process has looked a short time ago. */
export async function tidyGitFolders(): Promise<void> {
  if (performance.now() < lookAt) return;
  lookAt = performance.now() + lookMs;
  await removeAbandoned({ parent: tmpdir(), prefix });
}
