import type { Announcement } from '../vcs-ingresses/announcement.ts';
import { commitAt, factAt, memberAt, numberAt, refOf, sameOrUnknown, textAt } from './payload.ts';

/** Commits in an event of GitHub. https://docs.github.com/en/webhooks/webhook-events-and-payloads */
export function githubAnnouncements(event: string, payload: unknown): readonly Announcement[] {
  const found = event === 'push' ? push(payload) : event === 'pull_request' ? pull(payload) : undefined;
  return found === undefined ? [] : [found];
}

const sender = (payload: unknown) => ({
  'sender-username': factAt(payload, 'sender.login'),
  'sender-avatar-url': factAt(payload, 'sender.avatar_url'),
  'sender-html-url': factAt(payload, 'sender.html_url'),
  identifier: factAt(payload, 'repository.full_name'),
  'clone-url': factAt(payload, 'repository.clone_url'),
});

function push(payload: unknown): Announcement | undefined {
  const [repository, ref] = [textAt(payload, 'repository.full_name'), textAt(payload, 'ref')];
  const named = refOf(ref);
  const commit = commitAt(payload, 'after');
  if (repository === undefined || named === undefined || commit === undefined) return undefined;
  const isDefaultBranch = sameOrUnknown(textAt(payload, 'repository.default_branch'), named.name);
  return {
    ...named,
    repository,
    ref,
    // A tag with a message is an object of its own.
    commit: named.kind === 'tag' ? commitAt(payload, 'head_commit.id') : commit,
    before: commitAt(payload, 'before'),
    isDefaultBranch,
    isFork: false,
    facts: {
      ...sender(payload),
      branch: named.kind === 'branch' ? named.name : null,
      tag: named.kind === 'tag' ? named.name : null,
      'on-default-branch': isDefaultBranch ?? null,
      'commit-author': factAt(payload, 'head_commit.author.name'),
      'commit-message': factAt(payload, 'head_commit.message'),
      'commit-url': factAt(payload, 'head_commit.url'),
      'compare-url': factAt(payload, 'compare'),
    },
  };
}

const actions: ReadonlySet<unknown> = new Set(['opened', 'synchronize', 'reopened']);

function pull(payload: unknown): Announcement | undefined {
  const repository = textAt(payload, 'repository.full_name');
  const [number, commit] = [numberAt(payload, 'number'), commitAt(payload, 'pull_request.head.sha')];
  const name = textAt(payload, 'pull_request.base.ref');
  if (!actions.has(memberAt(payload, 'action'))) return undefined;
  if (repository === undefined || number === undefined || commit === undefined || name === undefined) return undefined;
  const isDefaultBranch = sameOrUnknown(textAt(payload, 'repository.default_branch'), name);
  return {
    kind: 'pull',
    repository,
    name,
    ref: `refs/pull/${number}/head`,
    commit,
    before: commitAt(payload, 'pull_request.base.sha'),
    isDefaultBranch,
    // The repository of a deleted fork is null.
    isFork: textAt(payload, 'pull_request.head.repo.full_name') !== repository,
    facts: {
      ...sender(payload),
      branch: factAt(payload, 'pull_request.head.ref'),
      'is-pull-request': true,
      'on-default-branch': isDefaultBranch ?? null,
      'pull-request-number': number,
      'pull-request-title': factAt(payload, 'pull_request.title'),
      'pull-request-url': factAt(payload, 'pull_request.html_url'),
    },
  };
}
