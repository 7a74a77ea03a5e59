import { badRequest } from './error.ts';
import type { PageOfAll } from './row.ts';

/** The page that a request is about. */
export interface Page {
  /** From 1. */
  readonly number: number;
  readonly size: number;
  /** Rows before it. */
  readonly offset: number;
}

/** Entries of a page: unless the request says otherwise, and at most. */
interface Sizes {
  readonly usual: number;
  /** More is cut to this. */
  readonly largest: number;
}

/** Reference, workspaces 1.1. */
const usualSizes: Sizes = { usual: 20, largest: 100 };
/** So that an offset stays a number that PostgreSQL takes. */
const numberMax = 10_000_000;

/** @throws ApiError 400 for what is no page */
export function pageOf(query: URLSearchParams, { usual, largest }: Sizes = usualSizes): Page {
  const number = wholeOf(query, 'page[number]') ?? 1;
  const size = Math.min(wholeOf(query, 'page[size]') ?? usual, largest);
  return { number, size, offset: (number - 1) * size };
}

/** Whether the request asks for a page at all: some lists are whole without that. */
export const asksForPage = (query: URLSearchParams): boolean => query.has('page[number]') || query.has('page[size]');

/** The page as an answer tells it; `totalCount`: of all pages. */
export const told = ({ number, size }: Page, totalCount: number): PageOfAll => ({ number, size, totalCount });

function wholeOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1 || value > numberMax)
    throw badRequest(`${name} has to be a whole number from 1 to ${numberMax}`);
  return value;
}
