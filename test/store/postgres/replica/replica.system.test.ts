import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenStore, openStore } from '#store/open.ts';
import { eventually } from '#test/support/flow/open-service.ts';
import { newServer, type OwnServer } from '#test/support/postgres/own-server.ts';
import { promote, standbyOf } from '#test/support/postgres/standby.ts';
import { ending } from '#test/support/services.ts';
import { storeOptions } from '../../stores.ts';

let primary: OwnServer;
let standby: OwnServer;

beforeAll(async () => {
  primary = await newServer();
  await primary.start();
  standby = await standbyOf(primary);
});
afterAll(() => Promise.all([primary, standby].map((one) => one.remove())));

async function open(replicaUrl: string, lagMsMax: number, lines: string[] = []): Promise<OpenStore> {
  const { log, ...options } = storeOptions(primary.url());
  const noted = { ...log, warn: (fields: object) => lines.push(JSON.stringify(fields)) };
  return ending(
    await openStore({ ...options, log: noted, replica: { access: { databaseUrl: replicaUrl }, lagMsMax } }),
  );
}

/** The server that answers a read that may be out of date. */
const answering = (store: OpenStore): Promise<number> =>
  store.readOlder(async (db) => {
    const { rows } = await sql<{ port: number }>`select inet_server_port() as port`.execute(db);
    return rows[0]?.port ?? 0;
  });
const untilAnswers = (store: OpenStore, server: OwnServer) =>
  eventually(async () => (await answering(store)) === server.port);
const write = (store: OpenStore, name: string) =>
  sql`insert into revisions (name, revision) values (${name}, 0) on conflict (name) do update set revision = revisions.revision + 1`.execute(
    store.db,
  );

test('a replica that keeps up answers reads, and has everything older than the bound', async () => {
  const store = await open(standby.url(), 600_000);
  await write(store, 'followed');
  await untilAnswers(store, standby);
  await eventually(async () => {
    const { rows } = await store.readOlder((db) => sql`select 1 from revisions where name = 'followed'`.execute(db));
    return rows.length === 1;
  });
});

test('a replica that stands still is no longer used when it exceeds its bound, and is used again when it has caught up', async () => {
  const store = await open(standby.url(), 500);
  await untilAnswers(store, standby);
  await standby.query('select pg_wal_replay_pause()');
  try {
    let written = 0;
    await eventually(async () => {
      written += 1;
      await write(store, 'behind');
      return (await answering(store)) === primary.port;
    });
    const { rows } = await store.readOlder((db) =>
      sql<{ revision: number }>`select revision from revisions where name = 'behind'`.execute(db),
    );
    expect(rows).toEqual([{ revision: written - 1 }]);
  } finally {
    await standby.query('select pg_wal_replay_resume()');
  }
  await untilAnswers(store, standby);
});

test('no read fails because a replica hangs or is down', async () => {
  const lines: string[] = [];
  const store = await open(standby.url(), 60_000, lines);
  await untilAnswers(store, standby);
  standby.freeze();
  try {
    await untilAnswers(store, primary);
  } finally {
    standby.thaw();
  }
  await untilAnswers(store, standby);
  await standby.kill();
  expect(await answering(store)).toBe(primary.port);
  await standby.start();
  await untilAnswers(store, standby);
  expect(lines.join()).toContain('reason');
  expect(lines.join()).not.toContain(standby.password);
});

test('a server that is not a standby or belongs to another installation is not used', async () => {
  const lines: string[] = [];
  const store = await open(primary.url(), 600_000, lines);
  expect(await answering(store)).toBe(primary.port);
  await eventually(() => lines.join().includes('it is not a standby'));
});

test('a promoted standby is no longer used', async () => {
  const lines: string[] = [];
  const store = await open(standby.url(), 600_000, lines);
  await untilAnswers(store, standby);
  await promote(standby);
  await untilAnswers(store, primary);
  await eventually(() => lines.join().includes('it is not a standby'));
});
