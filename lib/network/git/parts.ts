import type { Part } from './archive.ts';
import { fetchCommit } from './commit.ts';
import type { Repository } from './repository.ts';
import { GitFailure, type Remote } from './settings.ts';
import { submodulesOf } from './submodules.ts';

/** Submodules of a repository, and how many of them may be in each other. */
const submodulesMax = 50;
const depthMax = 5;

export interface Opening {
  /** What opens the repository at this address. */
  remoteOf(url: string): Remote;
  open(remote: Remote): Promise<Repository>;
}

/** A commit, the address of its repository, and its folder in the archive. */
interface Root extends Part {
  readonly url: string;
}

/** A commit and those of its submodules. Repositories of submodules are closed when the next part is asked for. */
export async function* partsOf(root: Root, opening: Opening): AsyncGenerator<Part> {
  yield root;
  const budget = { left: submodulesMax };
  yield* submodules(root, opening, budget, depthMax);
}

async function* submodules(
  { repository, commit, folder, url: base }: Root,
  opening: Opening,
  budget: { left: number },
  depth: number,
): AsyncGenerator<Part> {
  const found = await submodulesOf(repository, { commit, base, countMax: budget.left });
  if (found.length > 0 && depth === 0) throw new GitFailure(`submodules are more than ${depthMax} deep`);
  budget.left -= found.length;
  for (const { path, url, commit: wanted } of found) {
    const inner = await opening.open(opening.remoteOf(url));
    try {
      const { sha } = await fetchCommit(inner, { commit: wanted, ref: undefined });
      const part = { repository: inner, commit: sha, folder: folder === '' ? path : `${folder}/${path}`, url };
      yield part;
      yield* submodules(part, opening, budget, depth - 1);
    } catch (error) {
      throw error instanceof GitFailure
        ? new GitFailure(`submodule ${path}: ${error.message}`, { isTemporary: error.isTemporary })
        : error;
    } finally {
      await inner.close();
    }
  }
}
