import { expect, test } from 'vitest';
import { allPages } from '#destinations/workspace-vars/client/pages.ts';
import type { Page, VariableRecord } from '#destinations/workspace-vars/fields/record.ts';
import { failureOf } from './setup.ts';

const record = (id: string): VariableRecord => ({
  id,
  name: id,
  category: 'env',
  hcl: false,
  sensitive: true,
  mark: null,
  version: `${id}:1`,
});
const page = (ids: string, next: number | undefined, total: number | undefined): Page => ({
  records: [...ids].map(record),
  next,
  total,
});

/** Answers with these pages in turn, and records the requested numbers. */
function answering(...pages: readonly Page[]) {
  const left = [...pages];
  const asked: number[] = [];
  const fetchPage = async (number: number): Promise<Page> => {
    asked.push(number);
    return left.shift() ?? page('', undefined, 0);
  };
  return { fetchPage, asked };
}

const idsOf = (records: readonly VariableRecord[]): string => records.map(({ id }) => id).join('');

test.each([
  ['one page', [page('ab', undefined, 2)], 'ab', [1]],
  ['a list of a host without pages', [page('ab', undefined, undefined)], 'ab', [1]],
  ['several pages', [page('ab', 2, 3), page('c', undefined, 3)], 'abc', [1, 2]],
  [
    'a list from which an entry was removed between two pages',
    [page('ab', 2, 5), page('de', undefined, 4), page('bc', 2, 4), page('de', undefined, 4)],
    'bcde',
    [1, 2, 1, 2],
  ],
  [
    'a list in which an entry comes twice',
    [page('ab', 2, undefined), page('bc', undefined, undefined), page('abc', undefined, undefined)],
    'abc',
    [1, 2, 1],
  ],
])('%s is read completely', async (_what, pages, ids, numbers) => {
  const { fetchPage, asked } = answering(...pages);
  expect(idsOf(await allPages(fetchPage))).toBe(ids);
  expect(asked).toEqual(numbers);
});

test('a list that keeps changing is a failure', async () => {
  let total = 0;
  const failure = await failureOf(
    allPages(async (number) => {
      total += 1;
      return page('a', number === 1 ? 2 : undefined, total);
    }),
  );
  expect(failure.kind).toBe('unavailable');
  expect(total).toBe(6);
});

test('an endless list is a failure', async () => {
  let asked = 0;
  const endless = async (number: number) => {
    asked += 1;
    return page('', number + 1, 0);
  };
  expect((await failureOf(allPages(endless))).kind).toBe('quota');
  expect(asked).toBe(200);
});
