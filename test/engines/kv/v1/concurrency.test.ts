import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { kvV1 } from '#engines/kv/v1/index.ts';
import { calling, engineParts, mounted } from '../../setup.ts';

let it: Awaited<ReturnType<typeof engineParts>>;
beforeAll(async () => {
  it = await engineParts(10);
});
afterAll(() => it.store.close());

/** Two engines on one database, like those of two processes. */
const sides = () => [kvV1.open(it.parts), kvV1.open(it.parts)];
const secrets = ['a', 'b', 'c', 'd'];

test('racing writes from two processes leave one complete value', async () => {
  const mount = await mounted(it.mounts, 'raced/', { version: '1' });
  for (let round = 0; round < 30; round += 1) {
    const writes = sides().flatMap((engine, side) =>
      (side === 0 ? secrets : secrets.toReversed()).flatMap((path) =>
        [1, 2].map((n) => calling(engine, mount)('write', path, { path, by: `${side}/${n}/${round}` })),
      ),
    );
    await Promise.all(writes);
  }
  const { rows } = await sql<{ path: string; versions: number }>`
    select path, count(*)::int as versions from kv_versions where mount_id = ${mount.id}::uuid group by path order by path
  `.execute(it.store.db);
  expect(rows).toEqual(secrets.map((path) => ({ path, versions: 1 })));
  const read = calling(kvV1.open(it.parts), mount);
  for (const path of secrets) {
    expect((await read('read', path))?.data).toMatchObject({ path, by: expect.stringMatching(/\/2\/29$/) });
  }
});

test('of several writes that a client sends without waiting, the last one wins', async () => {
  const mount = await mounted(it.mounts, 'ordered/', { version: '1' });
  const call = calling(kvV1.open(it.parts), mount);
  await Promise.all(Array.from({ length: 50 }, (_, n) => call('write', secrets[n % 4] ?? '', { n })));
  for (const [index, path] of secrets.entries()) {
    const last = index < 2 ? 48 + index : 44 + index;
    expect((await call('read', path))?.data).toEqual({ n: last });
  }
});

test('writes to a mount that is removed meanwhile are stored or refused, and other mounts are not affected', async () => {
  const staying = await mounted(it.mounts, 'staying/', { version: '1' });
  const leaving = await mounted(it.mounts, 'leaving/', { version: '1' });
  const writes = Array.from({ length: 100 }, (_, n) =>
    sides().flatMap((engine) => [
      calling(engine, staying)('write', `n${n % 7}`, { n }),
      calling(engine, leaving)('write', `n${n}`, { n }).catch((cause: unknown) => {
        if (!(cause instanceof AppError) || cause.kind !== 'not-found') throw cause;
      }),
    ]),
  ).flat();
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([...writes, it.mounts.disable('leaving/', it.parts.changed, new AbortController().signal)]);
  await expect(calling(kvV1.open(it.parts), leaving)('write', 'n', { n: 1 })).rejects.toMatchObject({
    kind: 'not-found',
  });
  const { rows } = await sql`select 1 from kv_secrets where mount_id = ${leaving.id}::uuid`.execute(it.store.db);
  expect(rows).toEqual([]);
});
