import { z } from 'zod';

/** A commit that a repository host reports, or that a caller asks for. */
export interface Announcement {
  readonly kind: 'branch' | 'tag' | 'pull';
  /** The repository as workspaces name it, such as `acme/site`. */
  readonly repository: string;
  /** The branch that was pushed or that a pull request is for, or the tag. Undefined: the default branch. */
  readonly name: string | undefined;
  /** What is fetched when the commit is not delivered by its name; undefined: the default branch. */
  readonly ref: string | undefined;
  /** In full; undefined when the host did not report it so. */
  readonly commit: string | undefined;
  /** The commit that the changes are compared with; undefined when there is none. */
  readonly before: string | undefined;
  /** Whether the branch is the default branch; undefined when the host does not report it. */
  readonly isDefaultBranch: boolean | undefined;
  /** Whether the commit comes from another repository. */
  readonly isFork: boolean;
  readonly facts: CommitFacts;
}

/** What is known of a commit, by its names in the API. */
export type CommitFacts = z.infer<typeof commitFacts>;

const fact = z.string().nullable();

export const commitFacts = z
  .object({
    branch: fact,
    'clone-url': fact,
    'commit-author': fact,
    'commit-message': fact,
    'commit-url': fact,
    'compare-url': fact,
    identifier: fact,
    'is-pull-request': z.boolean(),
    'on-default-branch': z.boolean().nullable(),
    'pull-request-number': z.number().nullable(),
    'pull-request-title': fact,
    'pull-request-url': fact,
    'sender-username': fact,
    'sender-avatar-url': fact,
    'sender-html-url': fact,
    tag: fact,
  })
  .partial()
  .readonly();

/** What is stored of an announcement until the commit is fetched. */
export type StoredRequest = z.infer<typeof storedRequest>;

export const storedRequest = z
  .object({
    kind: z.enum(['branch', 'tag', 'pull']),
    repository: z.string(),
    name: z.string().nullable(),
    ref: z.string().nullable(),
    commit: z.string().nullable(),
    before: z.string().nullable(),
    /** It counts only if the branch is the default branch, which is looked up. */
    onlyDefaultBranch: z.boolean(),
    /** It counts only if files of the workspace changed. */
    onlyChanged: z.boolean(),
    /** A caller asked for it, so that it is run even in a workspace without runs. */
    isAsked: z.boolean(),
    /** Whether the run may be applied without confirmation, if the workspace says so. */
    mayApply: z.boolean(),
  })
  .readonly();
