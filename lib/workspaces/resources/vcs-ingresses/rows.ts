import { randomUUID } from 'node:crypto';
import { isCommit } from '#network/git/commit.ts';
import { unprocessable } from '#path/jsonapi/error.ts';
import { flag, text } from '#path/jsonapi/fields.ts';
import { type BodyOf, document } from '#path/jsonapi/input.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { runLevels } from '../../access/levels.ts';
import { operation } from '../../access/needs/operation.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { readConfigurationVersion } from '../configuration-versions/store.ts';
import { configurationVersionOf } from '../configuration-versions/view.ts';
import { settingsOf } from '../workspace-settings/settings.ts';
import { connected } from '../workspace-settings/vcs-repo.ts';
import type { Announcement } from './announcement.ts';
import { recordIngress } from './record.ts';

const name = () =>
  text(255)
    .regex(/^(?![-/.])[^\s~^:?*[\\\p{Cc}]+(?<![/.])$/u, 'is not the name of a branch or a tag')
    .refine((given) => !given.includes('..') && !given.includes('//'), 'is not the name of a branch or a tag');

const body = document({
  attributes: {
    'auto-queue-runs': flag().nullable(),
    branch: name().nullable(),
    'commit-sha': text(64).refine(isCommit, 'must be a whole commit in small hexadecimal digits').nullable(),
    speculative: flag().nullable(),
    tag: name().nullable(),
  },
  optional: true,
});

/** Takes a commit without a webhook: the newest of the branch of the workspace, unless the request names another. */
export const ingressRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'POST',
    path: '/api/v2/workspaces/:workspace_id/actions/ingress',
    summary: 'Make a configuration version of a commit of the repository',
    needs: { workspace: 'plan' },
    body,
    replies: { 201: 'configuration-versions' },
    run: ({ found, body: { attributes } }) => take(store, found, attributes),
  }),
];

async function take(
  store: WorkspaceParts['store'],
  { workspace, levels, standing }: FoundWorkspace,
  sent: BodyOf<typeof body>['attributes'],
): Promise<ApiReply> {
  const repo = connected({
    repo: settingsOf(workspace.settings)['vcs-repo'],
    oauth_token_id: workspace.oauth_token_id,
  });
  if (repo === null) throw unprocessable('The workspace is not connected to a repository');
  if (isGiven(sent.branch) && isGiven(sent.tag)) throw unprocessable('A commit is taken from a branch or from a tag');
  const id = await store.transaction((tx) =>
    recordIngress(tx, {
      workspaceId: workspace.id,
      announcement: announcementOf(sent, repo),
      // Callers without the right to apply may not start an automatic apply either.
      request: {
        onlyDefaultBranch: false,
        onlyChanged: false,
        isAsked: true,
        mayApply: levels.runs >= runLevels.apply,
      },
      speculative: sent.speculative ?? false,
      autoQueueRuns: sent['auto-queue-runs'] ?? true,
      source: 'tfe-api',
      delivery: `asked ${randomUUID()}`,
      actor: standing.caller,
    }),
  );
  return { status: 201, data: configurationVersionOf(await readConfigurationVersion(store.db, id ?? '')) };
}

const isGiven = (text: string | null | undefined): text is string => typeof text === 'string';

function announcementOf(
  { branch, tag, 'commit-sha': commit }: BodyOf<typeof body>['attributes'],
  repo: NonNullable<ReturnType<typeof connected>>,
): Announcement {
  const name = tag ?? branch ?? (repo.branch === '' ? undefined : repo.branch);
  const kind = isGiven(tag) ? 'tag' : 'branch';
  return {
    kind,
    repository: repo.identifier,
    name,
    ref: name === undefined ? undefined : `refs/${kind === 'tag' ? 'tags' : 'heads'}/${name}`,
    commit: commit ?? undefined,
    before: undefined,
    isDefaultBranch: undefined,
    isFork: false,
    facts: { identifier: repo.identifier, branch: kind === 'branch' ? (name ?? null) : null, tag: tag ?? null },
  };
}
