import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { checkRows } from '#store/sql/checking.ts';
import { pick } from '#store/sql/columns.ts';
import {
  arrayOf,
  bigintText,
  bool,
  bytea,
  float,
  int,
  json,
  jsonOf,
  type Kind,
  nullable,
  oneOf,
  partialJsonOf,
  text,
  textMap,
  timestamptz,
  uuid,
} from '#store/sql/kinds.ts';
import { mismatchOf } from '#store/sql/mismatch.ts';
import { asRows, expressionOf, pageRowsOf, queryRows, rowsOf } from '#store/sql/rows.ts';
import { storedAs } from '#store/sql/stored.ts';
import { revisionsTable } from '#store/tables/installation.ts';
import { testStore } from '../stores.ts';

const store = await testStore();
const { db } = store;
const report = vi.fn();

beforeEach(() => {
  report.mockClear();
  checkRows(report);
});
afterAll(() => store.close());

test('a result with the declared columns passes', async () => {
  const { rows } = await rowsOf({ n: int, name: text })`select 1 as n, 'a' as name`.execute(db);
  expect(rows).toEqual([{ n: 1, name: 'a' }]);
  expect(report).not.toHaveBeenCalled();
});

test('a renamed, an additional and a missing column fail, even without rows', async () => {
  const statement = rowsOf({ n: int });
  await expect(statement`select 1 as m`.execute(db)).rejects.toThrow(
    'column "m", which the statement does not declare',
  );
  await expect(statement`select 1 as n, 2 as m`.execute(db)).rejects.toThrow('column "m"');
  await expect(statement`select 1 as m where false`.execute(db)).rejects.toThrow('column "m"');
  await expect(rowsOf({ n: int, m: int })`select 1 as n`.execute(db)).rejects.toThrow('no column "m"');
  expect(report).toHaveBeenCalledTimes(4);
});

test('a value of another kind fails, and the message does not hold it', async () => {
  const failed = rowsOf({ n: int })`select 'secret' as n`.execute(db);
  await expect(failed).rejects.toThrow('the column "n" holds string where integer is expected');
  await expect(failed).rejects.not.toThrow('secret');
  await expect(rowsOf({ n: int })`select null::int as n`.execute(db)).rejects.toThrow('holds null');
});

test('an empty page is one row of nulls, and rows of other pages hold what their columns say', async () => {
  const page = pageRowsOf({ id: text, name: text });
  const { rows } = await page`select 'a' as id, 'b' as name, 1 as total`.execute(db);
  expect(rows).toEqual([{ id: 'a', name: 'b', total: 1 }]);
  expect((await page`select null as id, null as name, 0 as total`.execute(db)).rows).toHaveLength(1);
  expect(report).not.toHaveBeenCalled();
  await expect(page`select 'a' as id, null as name, 1 as total`.execute(db)).rejects.toThrow('"name" holds null');
  await expect(page`select null as id, 'b' as name, 1 as total`.execute(db)).rejects.toThrow('"name" holds string');
  await expect(page`select 'a' as id, 'b' as name`.execute(db)).rejects.toThrow('no column "total"');
});

test('stored settings may lack members, but not have others, and what is unsealed is checked too', () => {
  const kind = partialJsonOf(z.strictObject({ ttl: z.number(), name: z.string() }));
  expect(storedAs(kind, { ttl: 1 })).toEqual({ ttl: 1 });
  expect(report).not.toHaveBeenCalled();
  expect(() => storedAs(kind, { ttl: '1' })).toThrow('"stored" holds Object');
  expect(() => storedAs(kind, { ttl: 1, other: 2 })).toThrow('"stored" holds Object');
  expect(report).toHaveBeenCalledTimes(2);
});

test('built selects and bare connections are checked too', async () => {
  const select = db.selectFrom('revisions').select(['name', 'revision']).where('name', '=', 'mounts');
  expect(await asRows(pick(revisionsTable, 'name', 'revision'), select).execute()).toHaveLength(1);
  await expect(asRows({ name: text, revision: bigintText }, select).execute()).rejects.toThrow('"revision"');
  const client = { query: async () => ({ rows: [{ n: '1' }], fields: [{ name: 'n' }] }) };
  // @ts-expect-error: only this part of a connection is used
  await expect(queryRows(client, { n: int }, 'select 1 as n')).rejects.toThrow('"n"');
});

test('what PostgreSQL returns is of the kind of its type', async () => {
  const { rows } = await rowsOf({
    small: int,
    big: bigintText,
    real: float,
    yes: bool,
    bytes: bytea,
    at: timestamptz,
    id: uuid,
    texts: arrayOf(text),
    nothing: nullable(text),
    data: json,
    map: textMap,
    shape: jsonOf(z.strictObject({ a: z.number() })),
    side: oneOf('left', 'right'),
    compared: bool,
  })`select 1::smallint as small, 2::bigint as big, 0.5::float8 as real, true as yes, '\\x00'::bytea as bytes, now() as at,
            gen_random_uuid() as id, array['a'] as texts, null::text as nothing, '[1]'::jsonb as data, '{"a": "b"}'::jsonb as map,
            '{"a": 1}'::jsonb as shape, 'left' as side, now() > ${expressionOf(timestamptz)`'epoch'::timestamptz`} as compared`.execute(
    db,
  );
  expect(rows[0]).toMatchObject({ small: 1, big: '2', texts: ['a'], side: 'left', compared: true });
});

test.each<[string, Kind<unknown, never>, unknown]>([
  ['a whole number', int, 1.5],
  ['a big number', bigintText, 7],
  ['bytes', bytea, 'a'],
  ['a time', timestamptz, '2026-01-01'],
  ['an identifier', uuid, 'a'],
  ['texts', arrayOf(text), ['a', null]],
  ['one of some texts', oneOf('a', 'b'), 'c'],
  ['a map of texts', textMap, { a: 1 }],
  ['a shape', jsonOf(z.strictObject({ a: z.number() })), { a: 1, b: 2 }],
])('what is not %s is found', (_, kind, value) => {
  expect(mismatchOf({ x: kind }, { rows: [{ x: value }] })).toMatch(/^the column "x" holds /);
  expect(mismatchOf({ x: nullable(kind) }, { rows: [{ x: null }] })).toBeUndefined();
});

test('in a service nothing is checked: the statement is the one of sql', async () => {
  vi.resetModules();
  const fresh = await import('#store/sql/rows.ts');
  expect(fresh.rowsOf({ n: int })).toBe(sql);
  expect(fresh.pageRowsOf({ id: text })).toBe(sql);
  expect((await fresh.rowsOf({ n: int })`select 'a' as m`.execute(db)).rows).toEqual([{ m: 'a' }]);
});
