import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { checkRows } from '#store/sql/checking.ts';
import { int, text } from '#store/sql/kinds.ts';
import { type From, prepared } from '#store/sql/prepared.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { testStore } from '../stores.ts';

const store = await testStore();
const { db } = store;
const report = vi.fn();

beforeEach(() => {
  report.mockClear();
  checkRows(report);
});
afterAll(() => store.close());

const columns = { n: int, name: text };

test('a statement is written once and takes its values from the input of each call', async () => {
  const write = vi.fn(
    (from: From<{ readonly n: number; readonly names: readonly string[] }>) => rowsOf(columns)`
      select ${from(({ n }) => n)}::int as n, name from unnest(${from(({ names }) => names)}::text[]) as name
       where name <> ${'left out'}`,
  );
  const select = prepared(columns, write);
  expect(await select(db, { n: 1, names: ['a', 'left out', 'b'] })).toEqual([
    { n: 1, name: 'a' },
    { n: 1, name: 'b' },
  ]);
  expect(await select(db, { n: 2, names: ['c'] })).toEqual([{ n: 2, name: 'c' }]);
  expect(await store.transaction((tx) => select(tx, { n: 3, names: [] }))).toEqual([]);
  expect(write).toHaveBeenCalledOnce();
});

test('its rows are checked like those of every statement', async () => {
  const select = prepared(
    columns,
    (from: From<string>) => rowsOf(columns)`select 1 as n, ${from((name) => name)} as nome`,
  );
  await expect(select(db, 'a')).rejects.toThrow('nome');
  expect(report).toHaveBeenCalledOnce();
});
