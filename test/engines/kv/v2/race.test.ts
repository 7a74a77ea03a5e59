import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '#core/errors.ts';
import { Secret } from '#core/secret.ts';
import { engines } from '#engines/index.ts';
import { kvV2 } from '#engines/kv/v2/index.ts';
import { openMountTable } from '#mounts/table.ts';
import type { Mount } from '#path/contract/mount.ts';
import { openStore } from '#store/open.ts';
import { storeOptions } from '#test/store/stores.ts';
import { testDatabase } from '#test/support/services.ts';
import { associate, type Call, calling, dirtyIds, fixed, mounted } from '../../setup.ts';

/** The parts of one process, with its own connection pool on the shared database. */
async function openSide(databaseUrl: string, seal: { readonly key: Secret }) {
  const store = await openStore(storeOptions(databaseUrl, { seal }));
  const copiesOf = async () => ({ copies: [], total: 0, hidden: 0 });
  const parts = { store, secretBytesMax: 1024 * 1024, changed: async () => [], copiesOf };
  return {
    store,
    parts,
    mounts: openMountTable({ store, engines, fixed }),
    engine: kvV2.open(parts),
    ...kvV2.synced.open(parts),
  };
}

type Side = Awaited<ReturnType<typeof openSide>>;

const clientsPerSide = 4;
const rounds = 60;
const secrets = ['a', 'b', 'c', 'd'];

let url: string;
let first: Side;
let second: Side;
beforeAll(async () => {
  const seal = { key: new Secret(randomBytes(32).toString('hex')) };
  url = await testDatabase();
  first = await openSide(url, seal);
  await first.store.seal.init({ shares: 0, threshold: 0 }, async () => undefined);
  second = await openSide(url, seal);
});
afterAll(() => Promise.all([first.store.close(), second.store.close()]));

interface Done {
  readonly path: string;
  readonly version: number;
  readonly value: string;
}

const written = z.object({ version: z.number() });

/** Runs clients of both processes concurrently. Their actions depend only on the numbers of the client and the round. */
async function race(mount: Mount, client: (call: Call, number: number, round: number) => Promise<void>): Promise<void> {
  const calls = [first, second].flatMap(({ engine }) =>
    Array.from({ length: clientsPerSide }, () => calling(engine, mount)),
  );
  await Promise.all(
    calls.map(async (call, number) => {
      for (let round = 0; round < rounds; round += 1) await client(call, number, round);
    }),
  );
}

const secretOf = (number: number, round: number) => secrets[(number * 7 + round * 3) % secrets.length] ?? '';

/** Undefined when it is refused as `kind`; any other failure fails the test. */
async function unless<T>(kind: AppError['kind'], work: Promise<T>): Promise<T | undefined> {
  return work.catch((cause: unknown) => {
    if (cause instanceof AppError && cause.kind === kind) return undefined;
    throw cause;
  });
}

async function write(call: Call, path: string, value: string, cas?: number): Promise<Done> {
  const options = cas === undefined ? {} : { options: { cas } };
  const reply = await call('write', `data/${path}`, { data: { value }, ...options });
  return { path, value, ...written.parse(reply?.data) };
}

async function currentVersion(call: Call, path: string): Promise<number> {
  const read = await call('read', `data/${path}`);
  return read === undefined ? 0 : z.object({ metadata: written }).parse(read.data).metadata.version;
}

/** Checks for numbers from 1 without gap or duplicate, and that the newest versions have the data of their writers. */
async function mustBeWhole(mount: Mount, all: readonly Done[], kept: number): Promise<void> {
  const call = calling(first.engine, mount);
  for (const path of secrets) {
    const done = all.filter((one) => one.path === path).toSorted((a, b) => a.version - b.version);
    expect(done.map(({ version }) => version)).toEqual(done.map((_, index) => index + 1));
    const stored = await first.store.db
      .selectFrom('kv_versions')
      .select('version')
      .where('mount_id', '=', mount.id)
      .where('path', '=', path)
      .orderBy('version')
      .execute();
    expect(stored.map(({ version }) => version)).toEqual(done.slice(-kept).map(({ version }) => version));
    for (const { version, value } of done.slice(-kept)) {
      expect((await call('read', `data/${path}`, { version }))?.data).toMatchObject({ data: { value } });
    }
  }
}

test('racing writes with and without cas, from two processes, lose nothing and number without a gap', async () => {
  const mount = await mounted(first.mounts, 'plain/', { version: '2' });
  const call = calling(first.engine, mount);
  await call('write', 'config', { max_versions: 5 });
  const all: Done[] = [];
  for (const path of secrets) all.push(await write(call, path, 'first'));
  const associations = await Promise.all(secrets.map((path) => associate(first.store, mount, path)));
  await race(mount, async (client, number, round) => {
    const path = secretOf(number, round);
    const cas = (number + round) % 3 === 0 ? await currentVersion(client, path) : undefined;
    const done = await unless('bad-request', write(client, path, `${number}/${round}`, cas));
    if (done !== undefined) all.push(done);
    else expect(cas).toBeDefined();
  });
  await mustBeWhole(mount, all, 5);
  expect(await dirtyIds(first.store)).toEqual(associations.toSorted((a, b) => Number(a) - Number(b)));
  for (const [index, path] of secrets.entries()) {
    const query = first.store.db
      .selectFrom('associations')
      .select('generation')
      .where('id', '=', associations[index] ?? '');
    expect((await query.executeTakeFirstOrThrow()).generation).toBe(all.filter((one) => one.path === path).length);
  }
});

test('with required cas, each version has exactly one winner and writes without cas never win', async () => {
  const mount = await mounted(first.mounts, 'strict/', { version: '2' });
  await calling(first.engine, mount)('write', 'config', { cas_required: true });
  const all: Done[] = [];
  await race(mount, async (client, number, round) => {
    const path = secretOf(number, round);
    const cas = (number + round) % 4 === 0 ? undefined : await currentVersion(client, path);
    const done = await unless('bad-request', write(client, path, `${number}/${round}`, cas));
    if (done === undefined) return;
    expect(done.version).toBe((cas ?? Number.NaN) + 1);
    all.push(done);
  });
  expect(all.length).toBeGreaterThan(secrets.length);
  await mustBeWhole(mount, all, 10);
});

test('new secrets that two processes create at the same time begin with version 1', async () => {
  const mount = await mounted(first.mounts, 'fresh/', { version: '2' });
  const all: Done[] = [];
  await race(mount, async (client, number, round) => {
    const done = await Promise.all(
      [`x${round}`, `y${(number + round) % 5}/${round}`].map((path) => write(client, path, '')),
    );
    all.push(...done);
  });
  const byPath = Map.groupBy(all, ({ path }) => path);
  for (const done of byPath.values()) {
    expect(done.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(done.map((_, index) => index + 1));
  }
});

test('racing writes, deletions and changes of settings never deadlock', async () => {
  const mount = await mounted(first.mounts, 'churn/', { version: '2' });
  for (const path of secrets) await associate(first.store, mount, path);
  await race(mount, async (client, number, round) => {
    const path = secretOf(number, round);
    const other = [
      () => client('delete', `data/${path}`),
      () => client('delete', `metadata/${path}`),
      () => client('write', `metadata/${path}`, { max_versions: 1 + (round % 3) }),
      () => client('write', `destroy/${path}`, { versions: [1, 2, 3] }),
      () => unless('not-found', client('patch', `data/${path}`, { data: { n: round } })),
    ][(number + round) % 9];
    const order = number % 2 === 0 ? secrets : secrets.toReversed();
    await (other?.() ?? Promise.all(order.map((each) => write(client, each, `${round}`))));
  });
  const { rows } = await sql`
    select 1 from kv_secrets s join kv_versions v on v.mount_id = s.mount_id and v.path = s.path
     where s.mount_id = ${mount.id}::uuid and (v.version < s.oldest_version or v.version > s.current_version)`.execute(
    first.store.db,
  );
  expect(rows).toEqual([]);
});

test('writes to a mount that is removed meanwhile are stored or refused, and other mounts are not affected', async () => {
  const staying = await mounted(first.mounts, 'staying/', { version: '2' });
  const all: Done[] = [];
  for (let time = 0; time < 5; time += 1) {
    const leaving = await mounted(first.mounts, 'leaving/', { version: '2' });
    const toLeaving = [first, second].map(({ engine }) => calling(engine, leaving));
    const toStaying = [first, second].map(({ engine }) => calling(engine, staying));
    const writes = Array.from({ length: 40 }, (_, n) => [
      ...toLeaving.map((call) => unless('not-found', write(call, `n${n}`, ''))),
      ...toLeaving.map((call) => unless('not-found', write(call, `n${n % 3}`, ''))),
      ...toStaying.map(async (call) => void all.push(await write(call, secretOf(n, time), `${time}/${n}`))),
    ]).flat();
    await new Promise((resolve) => setImmediate(resolve));
    const removed = second.mounts.disable('leaving/', async () => [], new AbortController().signal);
    await Promise.all([...writes, removed]);
    const left = first.store.db.selectFrom('kv_secrets').select('path').where('mount_id', '=', leaving.id);
    expect(await left.execute()).toEqual([]);
  }
  for (const path of secrets) {
    const versions = all.filter((one) => one.path === path).map(({ version }) => version);
    expect(versions.toSorted((a, b) => a - b)).toEqual(versions.map((_, index) => index + 1));
  }
});

test('none of this has caused a deadlock', async () => {
  // A connection reports its counts at the latest when it ends.
  await Promise.all([first.store.close(), second.store.close()]);
  const third = await openStore(storeOptions(url, { poolSize: 2 }));
  try {
    await untilAlone(third);
    const { rows } = await sql<{ deadlocks: string }>`
      select deadlocks::text from pg_stat_database where datname = current_database()`.execute(third.db);
    expect(rows).toEqual([{ deadlocks: '0' }]);
  } finally {
    await third.close();
  }
});

async function untilAlone({ db }: Side['store']): Promise<void> {
  for (let looks = 0; looks < 2_000; looks += 1) {
    const { rows } = await sql`
      select 1 from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(db);
    if (rows.length === 0) return;
  }
  throw new Error('connections of the closed stores stay open');
}
