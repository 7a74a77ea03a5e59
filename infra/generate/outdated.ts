import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generatedFiles, manifestFolder, root } from './files.ts';

/** A file that differs from what would be generated. */
export interface Outdated {
  readonly path: string;
  /** Undefined if the type of the file no longer exists. */
  readonly text: string | undefined;
}

/** @param databaseUrl an empty database */
export async function outdatedFiles(databaseUrl: string): Promise<readonly Outdated[]> {
  const files = await generatedFiles(databaseUrl);
  const outdated: Outdated[] = [];
  for (const [path, text] of files) if ((await present(path)) !== text) outdated.push({ path, text });
  const manifests = await readdir(join(root, manifestFolder));
  return [...outdated, ...withoutType(files, manifests).map((path) => ({ path, text: undefined }))];
}

/** Manifests of workers without a type, among all files of their folder. */
export const withoutType = (files: ReadonlyMap<string, string>, manifests: readonly string[]): readonly string[] =>
  manifests
    .filter((file) => file.startsWith('worker-'))
    .map((file) => `${manifestFolder}/${file}`)
    .filter((path) => !files.has(path));

const present = (path: string): Promise<string | undefined> =>
  readFile(join(root, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
