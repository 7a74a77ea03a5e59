import { expect, test } from 'vitest';
import { allPages } from '../../../lib/destinations/workspace-vars/pages.ts';
import type { Page, VariableRecord } from '../../../lib/destinations/workspace-vars/record.ts';
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

/** Pages that are answered one after the other, and which were asked for. */
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
  ['a page of a host that has no pages', [page('ab', undefined, undefined)], 'ab', [1]],
  ['several pages', [page('ab', 2, 3), page('c', undefined, 3)], 'abc', [1, 2]],
  [
    'a list of which something was removed between two pages',
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
])('%s is read whole', async (_what, pages, ids, numbers) => {
  const { fetchPage, asked } = answering(...pages);
  expect(idsOf(await allPages(fetchPage))).toBe(ids);
  expect(asked).toEqual(numbers);
});

test('a list that never stands still is given up', async () => {
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

test('a list without end is given up', async () => {
  let asked = 0;
  const endless = async (number: number) => {
    asked += 1;
    return page('', number + 1, 0);
  };
  expect((await failureOf(allPages(endless))).kind).toBe('quota');
  expect(asked).toBe(200);
});
