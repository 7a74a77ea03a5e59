import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenStore, openStore } from '#store/open.ts';
import { openClient } from '#store/postgres/connect/server-client.ts';
import { Servers } from '#store/postgres/connect/servers.ts';
import { eventually } from '#test/support/flow/open-service.ts';
import { newServer, type OwnServer } from '#test/support/postgres/own-server.ts';
import { promote, standbyOf, synchronous, urlOfBoth } from '#test/support/postgres/standby.ts';
import { ending } from '#test/support/services.ts';
import { storeOptions } from '../../stores.ts';

let first: OwnServer;
let second: OwnServer;

beforeEach(async () => {
  first = await newServer();
  await first.start();
  second = await standbyOf(first);
  await first.query(`alter system set synchronous_standby_names = '${synchronous.synchronous_standby_names}'`);
  await first.query('select pg_reload_conf()');
});
afterEach(() => Promise.all([first, second].map((one) => one.remove())));

const isUnavailable = expect.objectContaining({ kind: 'unavailable' });

/** Limits of statements that are longer than the test, so that a hanging statement is not ended by them. */
const open = async (url: string, statementTimeoutMs = 3_600_000): Promise<OpenStore> =>
  ending(await openStore(storeOptions(url, { poolSize: 3, connectTimeoutMs: 4_000, statementTimeoutMs })));

const write = (store: OpenStore, name: string) => sql`insert into revisions (name) values (${name})`.execute(store.db);
const port = async (store: OpenStore): Promise<number> => {
  const { rows } = await sql<{ port: number }>`select inet_server_port() as port`.execute(store.db);
  return rows[0]?.port ?? 0;
};
const isWritten = (store: OpenStore, name: string): Promise<boolean> =>
  write(store, name).then(
    () => true,
    () => false,
  );

test('the server that accepts writes is found, wherever it is in the list', async () => {
  for (const url of [urlOfBoth(first, second), urlOfBoth(second, first)]) {
    const store = await open(url);
    expect(await port(store)).toBe(first.port);
  }
  const any = new Servers({ databaseUrl: urlOfBoth(second, first, 'target_session_attrs=any') });
  const client = await openClient(any, { connectionTimeoutMillis: 10_000 });
  ending({ close: () => client.end() });
  expect(client.way.port).toBe(second.port);
});

test('a single standby is refused, and the error has a reason for each server', async () => {
  await first.kill();
  const failure = await openStore(storeOptions(urlOfBoth(first, second))).catch((error: unknown) => error);
  expect(failure).toEqual(isUnavailable);
  expect(String(failure)).toContain(`127.0.0.1:${first.port}: it refuses connections`);
  expect(String(failure)).toContain(`127.0.0.1:${second.port}: it is a standby`);
  expect(String(failure)).not.toContain(first.password);
});

test('after a kill, writes fail at once and work again once the standby is promoted', async () => {
  const store = await open(urlOfBoth(first, second));
  await write(store, 'before');
  await first.kill();
  await expect(write(store, 'lost')).rejects.toThrow(isUnavailable);
  await promote(second);
  await eventually(() => isWritten(store, 'after'));
  expect(await port(store)).toBe(second.port);
  const { rows } = await sql<{ name: string }>`select name from revisions where name = 'before'`.execute(store.db);
  expect(rows).toHaveLength(1);
});

test('when another server takes over from a frozen one, connections to the frozen one are closed and their queries fail', async () => {
  const store = await open(urlOfBoth(first, second));
  await Promise.all([port(store), port(store), port(store)]);
  first.freeze();
  // Three wait on connections that nothing closes.
  const waiting = Promise.allSettled(['a', 'b', 'c'].map((name) => write(store, name)));
  await promote(second);
  for (const { status } of await waiting) expect(status).toBe('rejected');
  await eventually(() => isWritten(store, 'after'));
  expect(await port(store)).toBe(second.port);
});

test('dead connections among living ones are found when another server has taken over behind the same address', async () => {
  const { createServer, connect } = await import('node:net');
  let behind = first.port;
  const line = createServer((client) => {
    const server = connect(behind, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (data) => to.write(data));
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  ending({ close: async () => void line.close() });
  const address = line.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const store = await open(first.url().replace(`:${first.port}/`, `:${address.port}/`));
  await Promise.all([port(store), port(store)]);
  first.freeze();
  await promote(second);
  behind = second.port;
  // The third connection is new, and answers all the time.
  const waiting = Promise.allSettled(['a', 'b'].map((name) => write(store, name)));
  const living = (async () => {
    let settled = false;
    void waiting.then(() => {
      settled = true;
    });
    while (!settled) await port(store).catch(() => {});
  })();
  for (const { status } of await waiting) expect(status).toBe('rejected');
  await living;
  expect(await port(store)).toBe(second.port);
});

test('connections to a server that was made read-only are closed, and one that accepts writes is found', async () => {
  const store = await open(urlOfBoth(first, second));
  await Promise.all([port(store), port(store), port(store)]);
  await first.query('alter system set default_transaction_read_only = on');
  await first.query('select pg_reload_conf()');
  await eventually(async () => {
    const failure = await write(store, `read-only-${Math.random()}`).catch((error: unknown) => error);
    return String(failure).includes('it is read-only');
  });
  // The others were closed too: the next query opens a connection and checks the server first.
  await eventually(async () => String(await port(store).catch((error: unknown) => error)).includes('it is read-only'));
  await promote(second);
  await eventually(() => isWritten(store, 'after'));
  expect(await port(store)).toBe(second.port);
});
