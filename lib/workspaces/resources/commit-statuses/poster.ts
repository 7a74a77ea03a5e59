import type { Webhooks } from '#network/webhooks.ts';
import type { Store } from '#store/store.ts';
import { sourceOf } from '../vcs-repositories/source.ts';
import { statusCall } from './forms.ts';
import { stateOf } from './state.ts';
import { claimStatuses, type DueStatus, dropStatus, endStatus, putOffStatus } from './turns.ts';

/** Calls that one process makes concurrently. */
const atOnceMax = 16;

export interface PosterParts {
  readonly webhooks: Pick<Webhooks, 'post'>;
  readonly publicUrl: string | undefined;
}

/** Tells repository hosts the states of commits until none is due or `signal` aborts. Returns the number of commits looked at. */
export async function postStatuses(store: Store, parts: PosterParts, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const due = await claimStatuses(store, atOnceMax);
    if (due.length === 0) break;
    count += due.length;
    await Promise.all(due.map((one) => post(store, parts, one, signal)));
  }
  return count;
}

async function post(store: Store, parts: PosterParts, due: DueStatus, signal: AbortSignal): Promise<void> {
  const state = stateOf(due.run_status);
  if (state === due.status_sent) return endStatus(store, due, state);
  const source =
    due.oauth_token_id === null ? undefined : await sourceOf(store, due.organization_id, due.oauth_token_id);
  const page = `/app/${due.organization}/workspaces/${due.workspace}/runs/${due.run_id}`;
  const call =
    source &&
    statusCall(source, {
      repository: due.repository,
      commit: due.commit_sha,
      state,
      context: `keyferry/${due.organization}/${due.workspace}`,
      url: parts.publicUrl === undefined || due.run_id === null ? undefined : `${parts.publicUrl}${page}`,
    });
  if (call === undefined) return dropStatus(store, due);
  const { url, ...message } = call;
  const status = await parts.webhooks.post(url, message, signal).catch(() => 0);
  await (status >= 200 && status < 300 ? endStatus(store, due, state) : putOffStatus(store, due));
}
