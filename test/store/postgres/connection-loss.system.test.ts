import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '#infra/local/child.ts';
import { startPostgres } from '#infra/local/postgres/start.ts';
import type { LocalServer } from '#infra/local/server.ts';
import { type OpenStore, openStore } from '#store/open.ts';
import { patience } from '../../support/measures/patience.ts';
import { openSilenceableLine } from '../../support/servers/silenceable-line.ts';
import { ending, testDatabase } from '../../support/services.ts';
import { storeOptions } from '../stores.ts';

/** Time limit for waits; long enough for a running server. */
const brief = { statementTimeoutMs: 3_000, connectTimeoutMs: 3_000 };

const isUnavailable = expect.objectContaining({ kind: 'unavailable' });

/** A separate server, which the test can stop and start. */
async function ownServer() {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-store-'));
  const dataDir = join(folder, 'postgres');
  const port = await freePort();
  let server: LocalServer = await startPostgres({ dataDir, port, volatile: true });
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    url: server.url,
    stop: () => server.stop(),
    kill: () => server.kill(),
    start: async () => {
      server = await startPostgres({ dataDir, port, volatile: true });
    },
  };
}

function unhandledErrors(): unknown[] {
  const seen: unknown[] = [];
  const remember = (error: unknown) => seen.push(error);
  process.on('unhandledRejection', remember).on('uncaughtException', remember);
  onTestFinished(() => {
    process.off('unhandledRejection', remember).off('uncaughtException', remember);
  });
  return seen;
}

const readOne = (store: OpenStore) => sql<{ one: number }>`select 1 as one`.execute(store.db);

test('queries fail as unavailable while the server is down, and work again when it is back', async () => {
  const unhandled = unhandledErrors();
  const server = await ownServer();
  const store = await openStore(storeOptions(server.url));
  ending(store);
  const initialised = await store.seal.init({ shares: 3, threshold: 2 }, async () => undefined);
  const shares = initialised.shares.map((share) => share.toString('hex'));

  // One connection waits in a transaction, one in a statement, the rest are idle.
  const inTransaction = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const broken = store.transaction(async (tx) => {
    await sql`select 1`.execute(tx);
    inTransaction.resolve();
    await stopped.promise;
    await sql`select 2`.execute(tx);
  });
  const sleeping = sql`select pg_sleep(60)`.execute(store.db);
  const brokenIsUnavailable = expect(broken).rejects.toThrow(isUnavailable);
  const sleepingIsUnavailable = expect(sleeping).rejects.toThrow(isUnavailable);
  await Promise.all([readOne(store), readOne(store), inTransaction.promise]);

  await server.stop();
  stopped.resolve();
  await Promise.all([brokenIsUnavailable, sleepingIsUnavailable]);
  const failure: unknown = await readOne(store).catch((error: unknown) => error);
  expect(failure).toEqual(isUnavailable);
  expect(String(failure)).toContain('the database cannot serve this now: it refuses connections');
  expect(String(failure)).not.toContain(new URL(server.url).password);
  expect(await store.reachable()).toBe(false);

  // The status is still reported from memory; a share that cannot be checked now is kept.
  expect(store.seal.status()).toMatchObject({ state: 'sealed', threshold: 2 });
  await store.seal.unseal(shares[0] ?? '');
  await expect(store.seal.unseal(shares[1] ?? '')).rejects.toThrow(isUnavailable);
  await expect(store.seal.refresh()).rejects.toThrow(isUnavailable);

  await server.start();
  expect((await readOne(store)).rows).toEqual([{ one: 1 }]);
  expect(await store.reachable()).toBe(true);
  expect(await store.seal.unseal(shares[1] ?? '')).toMatchObject({ state: 'ready' });
  await store.transaction(async (tx) => sql`select 1`.execute(tx));
  expect(unhandled).toEqual([]);
});

test('a server crash under load does not cost the pool any connection permanently', async () => {
  const unhandled = unhandledErrors();
  const server = await ownServer();
  const store = ending(await openStore(storeOptions(server.url, { poolSize: 4 })));
  const asking = Array.from({ length: 40 }, () => sql`select pg_sleep(0.05)`.execute(store.db));
  const results = Promise.allSettled(asking);
  await server.kill();
  for (const result of await results) {
    if (result.status === 'rejected') expect(result.reason).toEqual(isUnavailable);
  }
  await server.start();
  const together = Array.from({ length: 4 }, () => sql`select pg_sleep(0.05)`.execute(store.db));
  expect(await Promise.all(together)).toHaveLength(4);
  expect(unhandled).toEqual([]);
});

test('when the network drops all packets, the statement, its transaction and its connection are ended', async () => {
  const url = new URL(await testDatabase());
  const line = ending(await openSilenceableLine(Number(url.port)));
  url.port = String(line.port);
  const store = ending(await openStore(storeOptions(url.href, brief)));
  const broken = store.transaction(async (tx) => {
    void line.silence();
    await sql`select 1`.execute(tx);
  });
  await expect(broken).rejects.toThrow(/it does not answer/);
  await expect(readOne(store)).rejects.toThrow(isUnavailable);
  line.speak();
  expect((await readOne(store)).rows).toEqual([{ one: 1 }]);
});

test('opening a store while the server is down fails with a reason that does not contain the password', async () => {
  const url = `postgres://keyferry:marker-password@127.0.0.1:${await freePort()}/keyferry`;
  const failure: unknown = await openStore(storeOptions(url)).catch((error: unknown) => error);
  expect(failure).toEqual(isUnavailable);
  expect(String(failure)).not.toContain('marker-password');
});

test('when all connections are in use, the next one waits and then fails; the database still counts as reachable', async () => {
  const store = ending(await openStore(storeOptions(await testDatabase(), { poolSize: 2, ...brief })));
  const free = Promise.withResolvers<void>();
  const holding = Array.from({ length: 2 }, () => store.db.connection().execute(() => free.promise));
  await expect(readOne(store)).rejects.toThrow(/no connection was free in time/);
  expect(await store.reachable()).toBe(true);
  free.resolve();
  await Promise.all(holding);
  expect((await readOne(store)).rows).toEqual([{ one: 1 }]);
});

test('a server that accepts no more connections is reported as unavailable, not as an internal error', async () => {
  const url = await testDatabase();
  const admin = await openStore(storeOptions(url));
  await sql.raw(`alter database ${new URL(url).pathname.slice(1)} connection limit 1`).execute(admin.db);
  await admin.close();
  // The server counts a connection until its process has ended.
  const open = () => openStore(storeOptions(url, { poolSize: 2 }));
  const store = ending(await vi.waitFor(open, { timeout: patience.conditionMs }));
  const free = Promise.withResolvers<void>();
  const holding = store.db.connection().execute(() => free.promise);
  await expect(readOne(store)).rejects.toThrow(/it has too many connections/);
  free.resolve();
  await holding;
  expect((await readOne(store)).rows).toEqual([{ one: 1 }]);
});
