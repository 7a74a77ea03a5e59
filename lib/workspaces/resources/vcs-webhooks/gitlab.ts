import type { Announcement } from '../vcs-ingresses/announcement.ts';
import { commitAt, factAt, listAt, memberAt, numberAt, refOf, sameOrUnknown, textAt } from './payload.ts';

/** Commits in an event of GitLab. https://docs.gitlab.com/user/project/integrations/webhook_events/ */
export function gitlabAnnouncements(event: string, payload: unknown): readonly Announcement[] {
  const isPush = event === 'Push Hook' || event === 'Tag Push Hook';
  const found = isPush ? push(payload) : event === 'Merge Request Hook' ? merge(payload) : undefined;
  return found === undefined ? [] : [found];
}

const project = (payload: unknown) => ({
  identifier: factAt(payload, 'project.path_with_namespace'),
  'clone-url': factAt(payload, 'project.git_http_url'),
});

function push(payload: unknown): Announcement | undefined {
  const [repository, ref] = [textAt(payload, 'project.path_with_namespace'), textAt(payload, 'ref')];
  const named = refOf(ref);
  // Absent when the branch or tag was removed.
  const commit = commitAt(payload, 'checkout_sha');
  if (repository === undefined || named === undefined || commit === undefined) return undefined;
  const isDefaultBranch = sameOrUnknown(textAt(payload, 'project.default_branch'), named.name);
  const described = listAt(payload, 'commits').find((one) => textAt(one, 'id') === commit);
  return {
    ...named,
    repository,
    ref,
    commit,
    before: commitAt(payload, 'before'),
    isDefaultBranch,
    isFork: false,
    facts: {
      ...project(payload),
      branch: named.kind === 'branch' ? named.name : null,
      tag: named.kind === 'tag' ? named.name : null,
      'on-default-branch': isDefaultBranch ?? null,
      'commit-author': factAt(described, 'author.name'),
      'commit-message': factAt(described, 'message'),
      'commit-url': factAt(described, 'url'),
      'sender-username': factAt(payload, 'user_username'),
      'sender-avatar-url': factAt(payload, 'user_avatar'),
    },
  };
}

const request = (name: string) => `object_attributes.${name}`;

function merge(payload: unknown): Announcement | undefined {
  const repository = textAt(payload, 'project.path_with_namespace');
  const [number, commit] = [numberAt(payload, request('iid')), commitAt(payload, request('last_commit.id'))];
  const name = textAt(payload, request('target_branch'));
  if (!bringsCommit(payload)) return undefined;
  if (repository === undefined || number === undefined || commit === undefined || name === undefined) return undefined;
  const isDefaultBranch = sameOrUnknown(textAt(payload, 'project.default_branch'), name);
  return {
    kind: 'pull',
    repository,
    name,
    ref: `refs/merge-requests/${number}/head`,
    commit,
    before: undefined,
    isDefaultBranch,
    isFork: textAt(payload, request('source.path_with_namespace')) !== repository,
    facts: {
      ...project(payload),
      branch: factAt(payload, request('source_branch')),
      'is-pull-request': true,
      'on-default-branch': isDefaultBranch ?? null,
      'pull-request-number': number,
      'pull-request-title': factAt(payload, request('title')),
      'pull-request-url': factAt(payload, request('url')),
      'commit-message': factAt(payload, request('last_commit.message')),
      'commit-author': factAt(payload, request('last_commit.author.name')),
      'commit-url': factAt(payload, request('last_commit.url')),
      'sender-username': factAt(payload, 'user.username'),
      'sender-avatar-url': factAt(payload, 'user.avatar_url'),
    },
  };
}

/** An update without a former commit changes only the description. */
function bringsCommit(payload: unknown): boolean {
  const action = memberAt(payload, request('action'));
  return (
    action === 'open' ||
    action === 'reopen' ||
    (action === 'update' && commitAt(payload, request('oldrev')) !== undefined)
  );
}
