import { expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { gatheredWrites, type SealedWrite, type WriteStatements } from '#engines/kv/shared/gathered-writes.ts';

const write = (path: string, bytes = 1): SealedWrite => ({ mountId: 'm', path, data: Buffer.alloc(bytes) });

/** Statements that record their calls and return the path. */
function remembering(changes: Partial<WriteStatements<SealedWrite, string>> = {}) {
  const asked: string[] = [];
  const remember = (name: string, writes: readonly SealedWrite[]) =>
    asked.push(`${name} ${writes.map(({ path }) => path).join(' ')}`);
  const statements: WriteStatements<SealedWrite, string> = {
    one: async (one) => one.path,
    many: async (writes) => writes.map(({ path }) => path),
    alone: async (one) => one.path,
    ...changes,
  };
  const put = gatheredWrites<SealedWrite, string>({
    async one(one) {
      remember('one', [one]);
      return statements.one(one);
    },
    async many(writes) {
      remember('many', writes);
      return statements.many(writes);
    },
    async alone(one) {
      remember('alone', [one]);
      return statements.alone(one);
    },
  });
  return { asked, put };
}

test('a single write is sent alone, and concurrent writes are sent together', async () => {
  const { asked, put } = remembering();
  expect(await put(write('a'))).toBe('a');
  expect(await Promise.all(['b', 'c'].map((path) => put(write(path))))).toEqual(['b', 'c']);
  expect(asked).toEqual(['one a', 'many b c']);
});

test('a batch contains a secret once, and its writes run in the order of their arrival', async () => {
  const { asked, put } = remembering();
  await Promise.all(['a', 'b', 'a', 'a'].map((path) => put(write(path))));
  expect(asked).toEqual(['many a b', 'one a', 'one a']);
});

test('a large write is sent alone', async () => {
  const { asked, put } = remembering();
  await Promise.all([put(write('a')), put(write('large', 65_537)), put(write('b', 65_536))]);
  expect(asked).toEqual(['one large', 'many a b']);
});

test('a write that a batch refuses is repeated alone', async () => {
  const { asked, put } = remembering({ many: async () => ['a', undefined] });
  expect(await Promise.all([put(write('a')), put(write('b'))])).toEqual(['a', 'b']);
  expect(asked).toEqual(['many a b', 'alone b']);
});

test.each([
  ['a violated constraint', Object.assign(new Error('23503'), { code: '23503' })],
  ['input that cannot be stored', new AppError('bad-request', 'a number is too large')],
  ['a deadlock', new AppError('unavailable', 'collided', { cause: { code: '40P01' } })],
])('a batch that fails with %s fails only the writes that caused it', async (_name, cause) => {
  const { asked, put } = remembering({
    many: () => Promise.reject(cause),
    alone: async ({ path }) => (path === 'b' ? Promise.reject(new AppError('bad-request', 'b')) : path),
  });
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((path) => put(write(path))));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(asked).toEqual(['many a b c', 'alone a', 'alone b', 'alone c']);
});

test('while the database is unavailable all writes fail at once and none is repeated', async () => {
  const away = new AppError('unavailable', 'the database cannot serve this now', { cause: { code: 'ECONNREFUSED' } });
  const { asked, put } = remembering({ many: () => Promise.reject(away) });
  const outcomes = await Promise.allSettled(['a', 'b'].map((path) => put(write(path))));
  expect(outcomes).toEqual([
    { status: 'rejected', reason: away },
    { status: 'rejected', reason: away },
  ]);
  expect(asked).toEqual(['many a b']);
});

test('a removed mount is reported as not found', async () => {
  const gone = Object.assign(new Error('foreign key'), { code: '23503' });
  const { put } = remembering({ one: () => Promise.reject(gone), alone: () => Promise.reject(gone) });
  await expect(put(write('a'))).rejects.toMatchObject({ kind: 'not-found' });
});
