import type { Announcement } from '../vcs-ingresses/announcement.ts';
import { commitAt, factAt, listAt, numberAt, refOf, textAt } from './payload.ts';

/** Changes of one push. Hosts report at most this many. */
const changesMax = 50;

/** Commits in an event of Bitbucket: Cloud, and Server or Data Center. https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/ */
export function bitbucketAnnouncements(event: string, payload: unknown): readonly Announcement[] {
  if (event === 'repo:push') return changesOf(payload, 'push.changes').flatMap((one) => cloudPush(payload, one));
  if (event === 'pullrequest:created' || event === 'pullrequest:updated') return cloudPull(payload);
  if (event === 'repo:refs_changed') return changesOf(payload, 'changes').flatMap((one) => serverPush(payload, one));
  if (event === 'pr:opened' || event === 'pr:from_ref_updated') return serverPull(payload);
  return [];
}

const changesOf = (payload: unknown, path: string): readonly unknown[] => listAt(payload, path).slice(0, changesMax);

function cloudPush(payload: unknown, change: unknown): readonly Announcement[] {
  const repository = textAt(payload, 'repository.full_name');
  const [name, commit] = [textAt(change, 'new.name'), commitAt(change, 'new.target.hash')];
  if (repository === undefined || name === undefined || commit === undefined) return [];
  const kind = textAt(change, 'new.type') === 'branch' ? 'branch' : 'tag';
  const facts = {
    identifier: repository,
    branch: kind === 'branch' ? name : null,
    tag: kind === 'tag' ? name : null,
    'commit-author': factAt(change, 'new.target.author.raw'),
    'commit-message': factAt(change, 'new.target.message'),
    'commit-url': factAt(change, 'new.target.links.html.href'),
    'compare-url': factAt(change, 'links.html.href'),
    'sender-username': factAt(payload, 'actor.nickname'),
    'sender-avatar-url': factAt(payload, 'actor.links.avatar.href'),
    'sender-html-url': factAt(payload, 'actor.links.html.href'),
  };
  const ref = `refs/${kind === 'tag' ? 'tags' : 'heads'}/${name}`;
  const before = commitAt(change, 'old.target.hash');
  return [{ kind, repository, name, ref, commit, before, isDefaultBranch: undefined, isFork: false, facts }];
}

/** Cloud shortens the commits of pull requests, so that their branch is fetched. It has no references to pull requests of forks. */
function cloudPull(payload: unknown): readonly Announcement[] {
  const repository = textAt(payload, 'repository.full_name');
  const [branch, name] = [
    textAt(payload, 'pullrequest.source.branch.name'),
    textAt(payload, 'pullrequest.destination.branch.name'),
  ];
  const number = numberAt(payload, 'pullrequest.id');
  if (repository === undefined || branch === undefined || name === undefined || number === undefined) return [];
  if (textAt(payload, 'pullrequest.source.repository.full_name') !== repository) return [];
  const facts = {
    identifier: repository,
    branch,
    'is-pull-request': true,
    'pull-request-number': number,
    'pull-request-title': factAt(payload, 'pullrequest.title'),
    'pull-request-url': factAt(payload, 'pullrequest.links.html.href'),
    'sender-username': factAt(payload, 'actor.nickname'),
  };
  const commit = commitAt(payload, 'pullrequest.source.commit.hash');
  const announced = { kind: 'pull', repository, name, ref: `refs/heads/${branch}`, commit } as const;
  return [{ ...announced, before: undefined, isDefaultBranch: undefined, isFork: false, facts }];
}

function serverRepository(repository: unknown): string | undefined {
  const [project, slug] = [textAt(repository, 'project.key'), textAt(repository, 'slug')];
  return project === undefined || slug === undefined ? undefined : `${project}/${slug}`;
}

function serverPush(payload: unknown, change: unknown): readonly Announcement[] {
  const repository = serverRepository(Object(payload).repository);
  const ref = textAt(change, 'ref.id');
  const [named, commit] = [refOf(ref), commitAt(change, 'toHash')];
  if (repository === undefined || named === undefined || commit === undefined) return [];
  const { kind, name } = named;
  const facts = {
    identifier: repository,
    branch: kind === 'branch' ? name : null,
    tag: kind === 'tag' ? name : null,
    'sender-username': factAt(payload, 'actor.name'),
  };
  const before = commitAt(change, 'fromHash');
  return [{ kind, repository, name, ref, commit, before, isDefaultBranch: undefined, isFork: false, facts }];
}

function serverPull(payload: unknown): readonly Announcement[] {
  const request: unknown = Object(payload).pullRequest;
  const repository = serverRepository(Object(Object(request).toRef).repository);
  const [number, name] = [numberAt(request, 'id'), textAt(request, 'toRef.displayId')];
  const commit = commitAt(request, 'fromRef.latestCommit');
  if (repository === undefined || number === undefined || name === undefined || commit === undefined) return [];
  const isFork = serverRepository(Object(Object(request).fromRef).repository) !== repository;
  const facts = {
    identifier: repository,
    branch: factAt(request, 'fromRef.displayId'),
    'is-pull-request': true,
    'pull-request-number': number,
    'pull-request-title': factAt(request, 'title'),
    'sender-username': factAt(payload, 'actor.name'),
  };
  const before = commitAt(request, 'toRef.latestCommit');
  const ref = `refs/pull-requests/${number}/from`;
  return [{ kind: 'pull', repository, name, ref, commit, before, isDefaultBranch: undefined, isFork, facts }];
}
