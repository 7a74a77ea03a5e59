import { QueryClient } from '@tanstack/query-core';
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
queries.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'error') return;
  const { error } = event.action;
  if (error instanceof CallFailure) noteFailure(error);
});

/** What a failure says about the whole page: the session is over, or the service is sealed. */
export function noteFailure(failure: CallFailure): void {
  if (failure.isTokenInvalid) lostSession('over');
  else if (failure.isSealed) lostSession('sealed');
}
