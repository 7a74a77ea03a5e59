import { takeTurns } from '#core/concurrency/take-turns.ts';
import type { Webhooks } from '#network/webhooks.ts';
import type { Store } from '#store/store.ts';
import type { SeeWork } from '../../contract.ts';
import { sourceOf } from '../vcs-repositories/source.ts';
import { statusCall } from './forms.ts';
import { stateOf } from './state.ts';
import { claimStatuses, type DueStatus, dropStatus, endStatus, putOffStatus } from './turns.ts';

/** Calls that one process makes concurrently. */
const atOnceMax = 16;

export interface PosterParts {
  readonly webhooks: Pick<Webhooks, 'post'>;
  readonly publicUrl: string | undefined;
  readonly see: SeeWork;
}

/**
 * Tells repository hosts the states of commits until none is due or `signal` aborts. An organization gets its next calls when its last ones
 * have ended, so that hosts that hang delay only their own organization.
 *
 * @returns the number of commits looked at
 */
export function postStatuses(store: Store, parts: PosterParts, signal: AbortSignal): Promise<number> {
  const calls = new Map<string, number>();
  const count = (organization: string, change: number) => {
    const next = (calls.get(organization) ?? 0) + change;
    if (next > 0) calls.set(organization, next);
    else calls.delete(organization);
  };
  const use = async (due: DueStatus) => {
    count(due.organization_id, 1);
    await post(store, parts, due, signal).finally(() => count(due.organization_id, -1));
  };
  const claim = async (room: number) =>
    (await claimStatuses(store, room, [...calls.keys()])).map((due) => () => use(due));
  return takeTurns([{ atOnceMax, claim }], signal);
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
  if (status >= 200 && status < 300) {
    await endStatus(store, due, state);
    parts.see('commit_status', 'done');
  } else parts.see('commit_status', (await putOffStatus(store, due)) ? 'failed' : 'dead');
}
