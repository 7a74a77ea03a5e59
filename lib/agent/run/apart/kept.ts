import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { type Environment, foldersOf } from './programs.ts';

/** A path that runs see although it is in a folder that is hidden from them. */
export interface Kept {
  readonly path: string;
  readonly isFolder: boolean;
}

interface Asked {
  readonly environment: Environment;
  readonly engines: readonly string[];
  readonly folder: string;
  readonly hidden: readonly string[];
}

const names = ['TF_PLUGIN_CACHE_DIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** The engines, what is on the `PATH`, the cache of plugins and the certificates, as far as they are in hidden folders. */
export async function keptPaths({ environment, engines, folder, hidden }: Asked): Promise<readonly Kept[]> {
  const named = names.flatMap((name) => environment[name] ?? []).filter(isAbsolute);
  const wanted = [...engines, ...named, ...foldersOf(environment)];
  const real = await Promise.all(wanted.map((path) => realpath(path).catch(() => path)));
  const below = [...new Set([...wanted, ...real])].filter(
    // A folder around the folders of runs would show them.
    (path) => hidden.some((one) => path.startsWith(`${one}/`)) && !`${folder}/`.startsWith(`${path}/`),
  );
  const kept = await Promise.all(
    below.map(async (path) => {
      const found = await stat(path).catch(() => undefined);
      return found === undefined ? [] : [{ path, isFolder: found.isDirectory() }];
    }),
  );
  return withoutInner(kept.flat());
}

/** A path in a folder that is kept is there with it. */
const withoutInner = (kept: readonly Kept[]): readonly Kept[] =>
  kept.filter(({ path }) => !kept.some((one) => one.isFolder && path.startsWith(`${one.path}/`)));
