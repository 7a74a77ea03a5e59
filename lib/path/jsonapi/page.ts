import { badRequest } from './error.ts';

/** The page that a request asks for. */
export interface Page {
  /** From 1. */
  readonly number: number;
  readonly size: number;
  /** The number of entries before the page. */
  readonly offset: number;
}

/** A page of a list as its reply shows it. */
export interface PageOfAll {
  readonly number: number;
  readonly size: number;
  /** The number of entries on all pages. */
  readonly totalCount: number;
}

/** Sizes of a page, in entries. */
export interface PageSizes {
  /** The size without `page[size]` in the request. */
  readonly usual: number;
  /** Larger sizes are reduced to this one. */
  readonly largest: number;
}

const usualSizes: PageSizes = { usual: 20, largest: 100 };
/** Keeps offsets within the range of PostgreSQL. */
const numberMax = 10_000_000;

/** @throws ApiError 400 for a page number or size that is not a whole number in range */
export function pageOf(query: URLSearchParams, { usual, largest }: PageSizes = usualSizes): Page {
  const number = wholeOf(query, 'page[number]') ?? 1;
  const size = Math.min(wholeOf(query, 'page[size]') ?? usual, largest);
  return { number, size, offset: (number - 1) * size };
}

/** Whether the request asks for a page. Some lists are complete without one. */
export const asksForPage = (query: URLSearchParams): boolean => query.has('page[number]') || query.has('page[size]');

/** The page as a reply shows it. `totalCount` is the number of entries on all pages. */
export const pageInfo = ({ number, size }: Page, totalCount: number): PageOfAll => ({ number, size, totalCount });

function wholeOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1 || value > numberMax)
    throw badRequest(`${name} must be a whole number from 1 to ${numberMax}`);
  return value;
}
