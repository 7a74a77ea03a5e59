import type { Repository } from './repository.ts';
import { GitFailure } from './settings.ts';

/** What is wanted of a repository. */
export interface Wanted {
  /** A full commit; undefined: the newest of `ref`. */
  readonly commit: string | undefined;
  /** Such as `refs/heads/main`; undefined: the default branch. */
  readonly ref: string | undefined;
}

/** A commit that was fetched. */
export interface Commit {
  readonly sha: string;
  readonly message: string;
  readonly author: string;
  /** RFC 3339. */
  readonly authoredAt: string;
}

/** How far back a commit is looked for when the server does not deliver it by its name. */
const depthMax = 200;
const messageCharactersMax = 4_096;

export const isCommit = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** Fetches a commit without its history. @throws GitFailure */
export async function fetchCommit(repository: Repository, { commit, ref = 'HEAD' }: Wanted): Promise<Commit> {
  const byName = commit === undefined ? undefined : await fetchDeep(repository, commit, 1);
  if (byName?.code !== 0) {
    const fetched = await fetchDeep(repository, ref, commit === undefined ? 1 : depthMax);
    if (fetched.code !== 0) throw repository.failureOf(fetched);
  }
  return readCommit(repository, commit ?? 'FETCH_HEAD');
}

/** Fetches a commit to compare with; undefined when the server no longer has it. */
export async function fetchFormer(repository: Repository, commit: string): Promise<string | undefined> {
  const fetched = await fetchDeep(repository, commit, 1);
  return fetched.code === 0 ? commit : undefined;
}

const fetchDeep = ({ run, url }: Repository, wanted: string, depth: number) =>
  run([
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-recurse-submodules',
    `--depth=${depth}`,
    '--end-of-options',
    url,
    wanted,
  ]);

async function readCommit({ run }: Repository, name: string): Promise<Commit> {
  const read = await run([
    'log',
    '-1',
    '--no-show-signature',
    '--format=%H%x00%an%x00%aI%x00%B',
    '--end-of-options',
    name,
    '--',
  ]);
  if (read.code !== 0) throw new GitFailure('the repository does not have the commit');
  const [sha = '', author = '', authoredAt = '', message = ''] = read.output.toString('utf8').split('\0');
  return { sha, author, authoredAt, message: message.trim().slice(0, messageCharactersMax) };
}

/** Paths that differ between two commits, at most `countMax` and one. */
export async function changedPaths(
  { run }: Repository,
  { from, to, countMax }: { readonly from: string; readonly to: string; readonly countMax: number },
): Promise<readonly string[]> {
  const words = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-commit-id', '--no-ext-diff'];
  const read = await run([...words, '--end-of-options', from, to, '--']);
  if (read.code !== 0) throw new GitFailure('the changes of the commit cannot be read');
  const paths = read.output.toString('utf8').split('\0');
  return paths.filter((path) => path !== '').slice(0, countMax + 1);
}

/** The name of the default branch, such as `main`. @throws GitFailure also for a repository that cannot be read */
export async function defaultBranch(repository: Repository): Promise<string | undefined> {
  const listed = await repository.run(['ls-remote', '--quiet', '--symref', '--end-of-options', repository.url, 'HEAD']);
  if (listed.code !== 0) throw repository.failureOf(listed);
  return /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed.output.toString('utf8'))?.[1];
}
