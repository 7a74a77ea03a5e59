import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeAbandoned } from '#core/folders/abandoned.ts';
import { makePrivateFolder } from '#core/folders/private-folder.ts';

/** A file that only this user can read: the environment of a process shows to all of its user what it was started with. */
export interface TokenFile {
  readonly path: string;
  remove(): Promise<void>;
}

const prefix = 'keyferry-agent-token';

/** Writes a token to a file of its own, and removes those of processes that were killed. */
export async function writeTokenFile(token: string, parent = tmpdir()): Promise<TokenFile> {
  await removeAbandoned({ parent, prefix });
  const folder = await makePrivateFolder(parent, prefix);
  const path = join(folder.path, 'token');
  await writeFile(path, token, { mode: 0o600 });
  return { path, remove: folder.remove };
}
