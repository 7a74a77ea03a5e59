import { defaultBranch } from '#network/git/commit.ts';
import { hasGit } from '#network/git/program.ts';
import { openRepository } from '#network/git/repository.ts';
import { GitFailure, type GitSettings } from '#network/git/settings.ts';
import { invalidAttribute, notYet } from '#path/jsonapi/error.ts';
import type { Store } from '#store/store.ts';
import type { NamedRepository, RepositoryCheck } from '../../contract.ts';
import { remoteOf } from './remote.ts';
import { sourceOf } from './source.ts';

const msMax = 15_000;
const limits = { connectMs: 5_000, bytesMax: 32 * 1024 * 1024 };
/** Repositories that one process looks at concurrently. */
const atOnceMax = 4;

export function repositoryCheck(store: Pick<Store, 'db' | 'barrier'>, git: GitSettings): RepositoryCheck {
  let atOnce = 0;
  return {
    async mustExist(named) {
      if (!(await hasGit(git.program)))
        throw invalidAttribute(
          'vcs-repo',
          'Vcs repo cannot be set: this service has no git. Its operator installs it or sets KEYFERRY_GIT.',
        );
      if (atOnce >= atOnceMax) throw notYet('too many repositories are looked at: try again');
      atOnce += 1;
      try {
        await look(store, git, named);
      } finally {
        atOnce -= 1;
      }
    },
  };
}

async function look(
  store: Pick<Store, 'db' | 'barrier'>,
  git: GitSettings,
  { organizationId, tokenId, identifier }: NamedRepository,
): Promise<void> {
  const source = await sourceOf(store, organizationId, tokenId);
  // Deleted meanwhile: the change itself is refused.
  if (source === undefined) return;
  const deadline = AbortSignal.timeout(msMax);
  try {
    const repository = await openRepository(git, remoteOf(source, identifier), limits, deadline);
    await defaultBranch(repository).finally(() => repository.close());
  } catch (error) {
    if (!(error instanceof GitFailure) && !deadline.aborted) throw error;
    const reason = error instanceof GitFailure ? error.message : 'the server did not answer in time';
    throw invalidAttribute('vcs-repo/identifier', `Vcs repo identifier cannot be used: ${reason}`);
  }
}
