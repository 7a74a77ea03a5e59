import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { uncheckedStatements } from './sql.ts';

const root = new URL('../..', import.meta.url).pathname;

test('every statement declares the columns of its rows', async () => {
  const sources = [];
  for await (const path of glob('{lib,functions}/**/*.ts', { cwd: root }))
    sources.push({ path, text: await readFile(root + path, 'utf8') });
  expect(sources.length).toBeGreaterThan(500);
  expect(uncheckedStatements(sources)).toEqual(new Map());
});

test('an unchecked row type is found', () => {
  const found = (text: string) => uncheckedStatements([{ path: 'lib/sync/page.ts', text }]).size > 0;
  expect(found('sql<{ id: string }>`select id from associations`')).toBe(true);
  expect(found('client.query<{ id: string }>("select id from associations")')).toBe(true);
  expect(found("fn.countAll<string>().as('count')")).toBe(true);
  expect(found('select.$castTo<Row>()')).toBe(true);
  expect(found('const page: RawBuilder<Row> = sql`select id from associations`')).toBe(true);
  expect(found('rowsOf({ id: bigintText })`select id from associations`')).toBe(false);
});
