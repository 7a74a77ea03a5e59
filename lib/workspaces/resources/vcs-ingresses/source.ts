import { GitFailure } from '#network/git/settings.ts';
import { jsonObject, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { sourceOf } from '../vcs-repositories/source.ts';
import { settingsOf } from '../workspace-settings/settings.ts';
import type { Fetching } from './fetch.ts';
import type { IngressRow } from './turns.ts';

/** Where a commit is fetched from, by the present settings of its workspace. @throws GitFailure when the workspace is no longer connected to the repository */
export async function remoteSource(store: Pick<Store, 'db' | 'barrier'>, row: IngressRow): Promise<Fetching> {
  const { rows } = await rowsOf({
    settings: jsonObject,
    oauth_token_id: nullable(text),
    organization_id: text,
  })`select settings, oauth_token_id, organization_id from ws_workspaces where id = ${row.workspace_id}`.execute(
    store.db,
  );
  const [workspace] = rows;
  const settings = settingsOf(workspace?.settings ?? {});
  const repo = settings['vcs-repo'];
  const tokenId = workspace?.oauth_token_id ?? null;
  if (workspace === undefined || repo === null || tokenId === null || repo.identifier !== row.request.repository)
    throw new GitFailure('the workspace is no longer connected to the repository');
  const source = await sourceOf(store, workspace.organization_id, tokenId);
  if (source === undefined) throw new GitFailure('the OAuth token of the workspace was deleted');
  const { request, attributes: facts } = row;
  return { source, request, settings, facts, withSubmodules: repo['ingress-submodules'] };
}
