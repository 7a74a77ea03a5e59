import { QueryObserver, type QueryState } from '@tanstack/query-core';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageReply } from '#client/page.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { namespace } from './api.ts';
import { queries } from './queries.ts';

/** How often a visible page asks again. */
export const pollMs = 2_000;
/** What is polled is marked as old when no reply has come for this long. */
export const pollReplyMsMax = 10_000;

/** What a call of a query is given. */
export interface AskOptions {
  readonly signal: AbortSignal;
  readonly known: PageReply | undefined;
  readonly replyMsMax: number | undefined;
  /** Whether the server may wait for another reply than the known one: nothing was changed here, and the last call did not fail. */
  readonly mayWait: boolean;
}

export interface Asking {
  /** Of the answer, within its namespace. */
  readonly key: readonly unknown[];
  readonly ask: (options: AskOptions) => Promise<PageReply>;
  /** Undefined asks once. */
  readonly everyMs?: number | undefined;
  readonly enabled?: boolean | undefined;
}

export interface Asked {
  readonly reply: PageReply | undefined;
  /** Of the last call; the reply of an earlier one stays. */
  readonly failure: CallFailure | undefined;
  /** When the reply was received. */
  readonly at: number;
  again(): void;
}

const keyOf = (key: readonly unknown[]) => [namespace.value, ...key];

/** An answer of the server, asked for again while the page is visible. */
export function useQuery(asking: Asking): Asked {
  const options = optionsOf(asking);
  const observer = useMemo(() => new QueryObserver<PageReply, CallFailure>(queries, options), []);
  const [, changed] = useState(0);
  observer.setOptions(options);
  useEffect(() => observer.subscribe(() => changed((count) => count + 1)), [observer]);
  const { data, error, dataUpdatedAt } = observer.getCurrentResult();
  return { reply: data, failure: error ?? undefined, at: dataUpdatedAt, again: () => void observer.refetch() };
}

export function optionsOf({ key, ask, everyMs, enabled }: Asking) {
  const queryKey = keyOf(key);
  return {
    queryKey,
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      ask({
        signal,
        known: queries.getQueryData<PageReply>(queryKey),
        mayWait: isSettled(queries.getQueryState(queryKey)),
        replyMsMax: everyMs === undefined ? undefined : pollReplyMsMax,
      }),
    refetchInterval: everyMs ?? (false as const),
    enabled: enabled ?? true,
    structuralSharing: false as const,
  };
}

const isSettled = (state: QueryState<unknown, Error> | undefined): boolean =>
  state !== undefined && !state.isInvalidated && state.error === null;

/** After a change: what begins with this key is asked for again. */
export const refresh = (...key: readonly unknown[]): Promise<void> =>
  queries.invalidateQueries({ queryKey: keyOf(key) });

/**
 * The reply of a list, which is not there while it is empty. As a failure, it would come and go with each time it is asked for.
 * @throws CallFailure
 */
export const orEmpty = (asked: Promise<PageReply>): Promise<PageReply> =>
  asked.catch((cause: unknown) => {
    if (!(cause instanceof CallFailure) || cause.status !== 404) throw cause;
    return { status: 404, whole: undefined, data: { keys: [] }, warnings: [], etag: undefined };
  });
