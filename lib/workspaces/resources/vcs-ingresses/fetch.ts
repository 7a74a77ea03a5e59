import type { Gzip } from 'node:zlib';
import { archiveOf } from '#network/git/archive.ts';
import { changedPaths, defaultBranch, fetchCommit, fetchFormer } from '#network/git/commit.ts';
import { partsOf } from '#network/git/parts.ts';
import { openRepository, type Repository } from '#network/git/repository.ts';
import type { GitSettings } from '#network/git/settings.ts';
import { remoteAt, remoteOf } from '../vcs-repositories/remote.ts';
import type { Source } from '../vcs-repositories/source.ts';
import type { Settings } from '../workspace-settings/settings.ts';
import type { CommitFacts, StoredRequest } from './announcement.ts';
import { isTriggered } from './triggers.ts';

/** What a workspace wants of a repository. */
export interface Fetching {
  readonly source: Source;
  readonly request: StoredRequest;
  readonly settings: Settings;
  readonly facts: CommitFacts;
  readonly withSubmodules: boolean;
}

/** A commit that was fetched. */
export interface Fetched {
  readonly sha: string;
  readonly facts: CommitFacts;
  /** At most 1,000; empty when it was not compared. */
  readonly changedFiles: readonly string[];
  archive(): Gzip;
}

const limits = { connectMs: 10_000, bytesMax: 1024 * 1024 * 1024 };
const archiveLimits = { bytesMax: 1024 * 1024 * 1024, entriesMax: 200_000 };
/** Of a commit that changed more, all workspaces are affected. */
const changedMax = 10_000;
const shownFilesMax = 1_000;

/**
 * Fetches a commit into a private folder and passes it on. `use` gets undefined when the workspace does not want it: it is of another branch than the
 * default one, or changes no file of the workspace.
 *
 * @throws GitFailure, the reason of the signal
 */
export async function withCommit<T>(
  git: GitSettings,
  wanted: Fetching,
  signal: AbortSignal,
  use: (fetched: Fetched | undefined) => Promise<T>,
): Promise<T> {
  const { source, request } = wanted;
  const remote = remoteOf(source, request.repository);
  const repository = await openRepository(git, remote, limits, signal);
  try {
    const read = await readWanted(repository, wanted);
    if (read === undefined) return await use(undefined);
    const root = { repository, commit: read.sha, folder: '', url: remote.url };
    const opening = {
      remoteOf: (url: string) => remoteAt(source, url),
      open: (one: typeof remote) => openRepository(git, one, limits, signal),
    };
    return await use({
      ...read,
      archive: () => archiveOf(wanted.withSubmodules ? partsOf(root, opening) : only(root), archiveLimits),
    });
  } finally {
    await repository.close();
  }
}

async function* only<T>(one: T): AsyncGenerator<T> {
  yield one;
}

async function readWanted(repository: Repository, { request, settings, facts }: Fetching) {
  const isDefault = request.onlyDefaultBranch ? (await defaultBranch(repository)) === request.name : undefined;
  if (isDefault === false) return undefined;
  const commit = await fetchCommit(repository, { commit: request.commit ?? undefined, ref: request.ref ?? undefined });
  const changed = await changesOf(repository, request, commit.sha);
  if (request.onlyChanged && changed !== undefined && !isTriggered(changed, settings)) return undefined;
  const known: CommitFacts = {
    ...facts,
    'commit-author': facts['commit-author'] ?? commit.author,
    'commit-message': facts['commit-message'] ?? commit.message,
    'on-default-branch': facts['on-default-branch'] ?? isDefault ?? null,
  };
  return { sha: commit.sha, facts: known, changedFiles: (changed ?? []).slice(0, shownFilesMax) };
}

/** Undefined when everything may have changed. */
async function changesOf(
  repository: Repository,
  { before }: StoredRequest,
  commit: string,
): Promise<readonly string[] | undefined> {
  const from = before === null ? undefined : await fetchFormer(repository, before);
  if (from === undefined) return undefined;
  const paths = await changedPaths(repository, { from, to: commit, countMax: changedMax });
  return paths.length > changedMax ? undefined : paths;
}
