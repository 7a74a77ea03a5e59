import { posix } from 'node:path';
import type { Repository } from './repository.ts';
import { GitFailure } from './settings.ts';

/** A submodule of a commit. */
export interface Submodule {
  readonly path: string;
  /** Absolute: relative addresses are resolved against the repository that names them. */
  readonly url: string;
  readonly commit: string;
}

/** The submodules of a commit that its `.gitmodules` describes. @throws GitFailure for more than `countMax` */
export async function submodulesOf(
  repository: Repository,
  { commit, base, countMax }: { readonly commit: string; readonly base: string; readonly countMax: number },
): Promise<readonly Submodule[]> {
  const described = await urlsIn(repository, commit);
  if (described.size === 0) return [];
  const links = await linksIn(repository, commit);
  const found = [...links].flatMap(([path, linked]) => {
    const url = described.get(path);
    return url === undefined ? [] : [{ path, commit: linked, url: absolute(url, base) }];
  });
  if (found.length > countMax) throw new GitFailure(`the repository has more than ${countMax} submodules`);
  return found;
}

/** Addresses by paths. */
async function urlsIn({ run }: Repository, commit: string): Promise<ReadonlyMap<string, string>> {
  const words = ['config', '--no-includes', '--null', '--blob', `${commit}:.gitmodules`];
  const read = await run([...words, '--get-regexp', '^submodule\\..*\\.(path|url)$']);
  const settings = new Map<string, { path?: string; url?: string }>();
  if (read.code !== 0) return new Map();
  for (const line of read.output.toString('utf8').split('\0')) {
    const [, name = '', key = '', value = ''] = /^submodule\.(.*)\.(path|url)\n(.*)$/s.exec(line) ?? [];
    if (key !== '') settings.set(name, { ...settings.get(name), [key]: value });
  }
  return new Map(
    [...settings.values()].flatMap(({ path, url }) => (path === undefined || url === undefined ? [] : [[path, url]])),
  );
}

/** Commits by the paths of the tree that stand for other repositories. */
async function linksIn({ run }: Repository, commit: string): Promise<ReadonlyMap<string, string>> {
  const read = await run(['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit]);
  if (read.code !== 0) throw new GitFailure('the files of the commit cannot be read');
  const lines = read.output.toString('utf8').split('\0');
  return new Map(
    lines.flatMap((line) => {
      const [, linked, path] = /^160000 commit ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return linked === undefined || path === undefined ? [] : [[path, linked] as const];
    }),
  );
}

/** @throws GitFailure for an address that cannot be used */
function absolute(url: string, base: string): string {
  const short = /^(?:([\w.-]+)@)?([\w.-]+):(?!\/\/)(.+)$/.exec(url);
  if (/^\.\.?\//.test(url)) {
    const whole = new URL(base);
    whole.pathname = posix.join(whole.pathname, url);
    return whole.href;
  }
  const text = short === null ? url : `ssh://${short[1] ?? 'git'}@${short[2]}/${short[3]}`;
  if (URL.canParse(text) && /^(?:https?|ssh):$/.test(new URL(text).protocol)) return withoutPassword(text);
  throw new GitFailure('a submodule is not reached by http, https or ssh');
}

function withoutPassword(text: string): string {
  const url = new URL(text);
  url.password = '';
  if (url.protocol !== 'ssh:') url.username = '';
  return url.href;
}
