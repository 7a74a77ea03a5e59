import { QueryClient } from '@tanstack/query-core';
import { isWorkspaces } from '#client/request.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { lostSession } from './session.ts';

/** How long an answer is kept after its page was left. */
const keptMs = 30_000;

/** The answers of the server. They leave the memory soon: a page that is opened again asks again. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 0, gcTime: keptMs, refetchOnWindowFocus: 'always', networkMode: 'always' },
  },
});

queries.mount();
// A hidden page waits for nothing but what it has not shown yet. When it is seen again, it asks again.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'hidden') return;
  void queries.cancelQueries({ predicate: ({ state: { data } }) => data !== undefined });
});
queries.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'error') return;
  const { error } = event.action;
  if (error instanceof CallFailure) noteFailure(error);
});

/**
 * What a failure says about the whole page: the session is over, or the service is sealed. A 401 of the workspace service may only say
 * that the caller is none of its users.
 */
export function noteFailure(failure: CallFailure): void {
  if (failure.isTokenInvalid && !ofWorkspaces(failure)) lostSession('over');
  else if (failure.isSealed) lostSession('sealed');
}

const ofWorkspaces = ({ request }: CallFailure): boolean => isWorkspaces(request.split(' ')[1] ?? '');
