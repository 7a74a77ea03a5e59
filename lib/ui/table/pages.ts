import { QueriesObserver } from '@tanstack/query-core';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageReply } from '#client/page.ts';
import type { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { counted } from '../parts/relative.ts';
import { queries } from '../state/queries.ts';
import { type Asking, optionsOf } from '../state/use-query.ts';

/** A list that the server gives page by page, each page with the position after it. */
export interface Paged<R = Value> {
  readonly key: readonly unknown[];
  readonly ask: (after: string, options: Parameters<Asking['ask']>[0]) => Promise<PageReply>;
  /** The rows of a page; all pages but the last have `rowsPerPage`. */
  readonly rows: (reply: PageReply) => readonly R[];
  /** The position after a page; empty after the last one. */
  readonly next: (reply: PageReply) => string;
  readonly everyMs: number | undefined;
}

export interface Pages<R = Value> {
  /** Rows that are known to exist, and one page more where the server says that there is more. */
  readonly length: number;
  rowAt(index: number): R | undefined;
  /** Keeps the pages of these rows fresh, and lets the others go. */
  show(first: number, last: number): void;
  readonly first: PageReply | undefined;
  readonly failure: CallFailure | undefined;
  readonly at: number;
  again(): void;
}

export const rowsPerPage = 100;

/** Only the pages in view are asked for and kept, whatever the length of the list. */
export function usePages<R>(paged: Paged<R>): Pages<R> {
  const chain = useRef<string[]>(['']);
  const [view, setView] = useState({ from: 0, to: 0 });
  const [, changed] = useState(0);
  const identity = JSON.stringify(paged.key);
  const seen = useRef(identity);
  if (seen.current !== identity) {
    seen.current = identity;
    chain.current = [''];
  }
  const inView = pagesIn(view, chain.current.length);
  // The first page has the length of the list, so it stays fresh also where it is not seen.
  const wanted = inView.includes(0) ? inView : [0, ...inView];
  const options = wanted.map((page) => optionsOfPage(paged, chain.current[page] ?? ''));
  const observer = useMemo(() => new QueriesObserver(queries, options), []);
  useEffect(() => observer.subscribe(() => changed((count) => count + 1)), [observer]);
  observer.setQueries(options);
  const results = observer.getCurrentResult();
  const replies = new Map(wanted.map((page, at) => [page, results[at]?.data as PageReply | undefined]));
  grow(chain.current, inView, replies, paged);
  const lastReply = replies.get(chain.current.length - 1);
  const length =
    (chain.current.length - 1) * rowsPerPage +
    (lastReply === undefined ? rowsPerPage : rowsOf(lastReply, paged).length);
  const failed = results.find(({ error }) => error !== null);
  return {
    length: replies.get(0) === undefined && chain.current.length === 1 ? 0 : length,
    rowAt: (index) => rowsOf(replies.get(Math.floor(index / rowsPerPage)), paged)[index % rowsPerPage],
    show: (first, last) => {
      const next = { from: Math.floor(first / rowsPerPage), to: Math.floor(last / rowsPerPage) };
      if (next.from !== view.from || next.to !== view.to) setView(next);
    },
    first: replies.get(0),
    failure: (failed?.error ?? undefined) as CallFailure | undefined,
    at: results[0]?.dataUpdatedAt ?? 0,
    again: () => void Promise.all(results.map(({ refetch }) => refetch())),
  };
}

/** A scroll may leave the list as it is known; the last known page then shows the way. */
function pagesIn({ from, to }: { readonly from: number; readonly to: number }, known: number): readonly number[] {
  const last = known - 1;
  const pages = [];
  for (let page = Math.min(from, last); page <= Math.min(to, last); page += 1) pages.push(page);
  return pages;
}

function optionsOfPage<R>({ key, ask, everyMs }: Paged<R>, after: string) {
  return optionsOf({ key: [...key, after], ask: (options) => ask(after, options), everyMs });
}

/**
 * The position of each page is in the page before. A page in view that changed its end makes the positions after it unknown; a page
 * that is not seen changes nothing below the reader's eyes.
 */
function grow<R>(
  chain: string[],
  inView: readonly number[],
  replies: ReadonlyMap<number, PageReply | undefined>,
  { next }: Paged<R>,
): void {
  for (const page of inView) {
    const reply = replies.get(page);
    if (reply === undefined) continue;
    const after = next(reply);
    if (chain[page + 1] === (after === '' ? undefined : after)) continue;
    chain.length = page + 1;
    if (after !== '') chain.push(after);
  }
}

const rowsOf = <R>(reply: PageReply | undefined, { rows }: Paged<R>): readonly R[] =>
  reply === undefined ? [] : rows(reply);

/** The rows in a member of a page, whose `after` is the position after it. */
export const rowsIn = (member: string): Pick<Paged, 'rows' | 'next'> => ({
  rows: ({ data }) => listIn(data, member),
  next: ({ data }) => textOf(data, 'after'),
});

export function listIn(data: Value | undefined, ...keys: readonly string[]): readonly Value[] {
  const found = memberOf(data, ...keys);
  return Array.isArray(found) ? found : [];
}

/** The length of a list whose total the server does not say, such as `More than 200 tokens` until its last page is known. */
export function lengthOf(pages: Pick<Pages<unknown>, 'length' | 'rowAt'>, one: string, many?: string): string {
  const isWhole = pages.rowAt(pages.length - 1) !== undefined;
  return isWhole ? counted(pages.length, one, many) : `More than ${counted(pages.length - rowsPerPage, one, many)}`;
}
