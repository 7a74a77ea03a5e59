import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openStore } from '#store/open.ts';
import { queryFailure } from '#store/postgres/failure.ts';
import { ending, testDatabase } from '../../support/services.ts';
import { storeOptions } from '../stores.ts';

const open = async () => ending(await openStore(storeOptions(await testDatabase(), { statementTimeoutMs: 3_000 })));

describe('errors that the server reports', () => {
  test.each([
    ['a number that is too large', sql`select ${'99999999999'}::text::integer`, 'bad-request', /a number is outside/],
    ['a NUL character', sql`select ${'a\u0000b'}::text`, 'bad-request', /a character that cannot be stored/],
    ['a statement that takes too long', sql`select pg_sleep(60)`, 'unavailable', /the statement took too long/],
  ])('%s', async (_name, query, kind, message) => {
    const store = await open();
    await expect(query.execute(store.db)).rejects.toThrow(
      expect.objectContaining({ kind, message: expect.stringMatching(message) }),
    );
    expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }]);
  });

  test('a violated constraint is passed on unchanged, so that the caller can examine it', async () => {
    const store = await open();
    const twice = store.db.insertInto('revisions').values({ name: 'mounts' }).execute();
    await expect(twice).rejects.toThrow(expect.objectContaining({ code: '23505' }));
  });

  test('a name that no index can hold is a bad request', async () => {
    const store = await open();
    const { randomBytes } = await import('node:crypto');
    const name = randomBytes(20_000).toString('base64');
    await expect(store.db.insertInto('revisions').values({ name }).execute()).rejects.toThrow(
      expect.objectContaining({ kind: 'bad-request' }),
    );
  });
});

test.each([
  ['ECONNRESET', true],
  ['57P01', true],
  ['08006', true],
  ['40001', false],
  ['57014', false],
  ['25006', true],
  ['53300', true],
])('after %s the connection is closed: %s', (code, unusable) => {
  const failure = queryFailure(Object.assign(new Error('text'), { code }));
  expect(failure).toMatchObject({ unusable, error: { kind: 'unavailable' } });
});

test('an error that is not about the database is passed on unchanged', () => {
  for (const cause of [new Error('text'), 'text', undefined, Object.assign(new Error('text'), { code: '23505' })]) {
    expect(queryFailure(cause)).toEqual({ error: cause, unusable: false });
  }
});

test('an invalid URL is refused without being shown', async () => {
  for (const databaseUrl of ['postgres//user:hidden@host', 'mysql://user:hidden@host/db', '']) {
    const opened = openStore(storeOptions(databaseUrl));
    await expect(opened).rejects.toThrow(/the database URL must have the form/);
    await expect(opened).rejects.not.toThrow(/hidden/);
  }
});
