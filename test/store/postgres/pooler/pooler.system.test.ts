import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Log } from '#core/log/log.ts';
import { type OpenStore, openStore, type StoreOptions } from '#store/open.ts';
import { ignoring, poolerOf } from '#test/support/postgres/pooler.ts';
import { emptyDatabase, ending } from '#test/support/services.ts';
import { storeOptions } from '../../stores.ts';

const oldest = await poolerOf('1.18');
const keeping = await poolerOf('1.24');

/** Fewer than the connections of the store, so that they have to share servers. */
const serverConnections = 3;

const situations = [
  { title: 'PgBouncer 1.18 that refuses our parameters', start: oldest, settings: {}, keeps: false },
  { title: 'PgBouncer 1.18 that takes no notice of them', start: oldest, settings: ignoring, keeps: false },
  { title: 'PgBouncer 1.24, which keeps statements', start: keeping, settings: {}, keeps: true },
  {
    title: 'PgBouncer 1.24 that is not to keep statements',
    start: keeping,
    settings: { ...ignoring, max_prepared_statements: 0 },
    keeps: false,
  },
];

type Start = NonNullable<typeof oldest>;

/** A database, and a store that reaches it through a pooler in transaction mode. */
async function pooled(start: Start | undefined, settings: object, changes: Partial<StoreOptions> = {}) {
  if (start === undefined) throw new Error('there is no pooler');
  const direct = await emptyDatabase();
  const pooler = ending(await start({ databaseUrl: direct, serverConnections, settings: { ...settings } }));
  const log = recordingLog();
  const store = ending(await openStore(storeOptions(pooler.url, { poolSize: 8, log, ...changes })));
  return { direct, pooler, store, lines: log.lines };
}

function recordingLog(): Log & { readonly lines: { readonly level: string; readonly message: string }[] } {
  const lines: { level: string; message: string }[] = [];
  const at = (level: string) => (_fields: object, message: string) => void lines.push({ level, message });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A plain connection that bypasses the store. */
async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const readMounts = (store: OpenStore) =>
  store.db.selectFrom('revisions').selectAll().where('name', '=', 'mounts').executeTakeFirstOrThrow();

/** Many concurrent statements with few texts, so that each connection would prepare each text. */
async function work(store: OpenStore, rounds = 60): Promise<void> {
  const reads = Array.from({ length: rounds }, () => readMounts(store));
  const changes = Array.from({ length: rounds }, () =>
    store.transaction(async (tx) => {
      await tx.selectFrom('revisions').selectAll().where('name', '=', 'mounts').forUpdate().execute();
      const bumped = tx.updateTable('revisions').set((row) => ({ revision: row('revision', '+', 1) }));
      await bumped.where('name', '=', 'mounts').execute();
    }),
  );
  await Promise.all([...reads, ...changes]);
}

describe.each(situations)('behind $title', ({ start, settings, keeps }) => {
  const testIt = test.skipIf(start === undefined);

  testIt('the schema is made, and statements and transactions of many connections at once all succeed', async () => {
    const { store, lines } = await pooled(start, settings);
    await work(store);
    expect(Number((await readMounts(store)).revision)).toBe(60);
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_prepared_statements
       where statement like '%revisions%'`.execute(store.db);
    expect((rows[0]?.n ?? 0) > 0).toBe(keeps);
    expect(lines.filter(({ message }) => message.includes('pooler'))).toEqual([
      { level: 'info', message: 'a pooler shares the connections to the database by transaction' },
    ]);
  });

  testIt('a transaction has its limits, and leaves none of them on the server', async () => {
    const { store, pooler } = await pooled(start, settings, { statementTimeoutMs: 45_000 });
    const read = `select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`;
    const within = await store.transaction(async (tx) => (await sql.raw(read).execute(tx)).rows);
    expect(within).toEqual([{ statement: '45s', idle: '1min' }]);
    const bare = await connected(pooler.url);
    for (let turn = 0; turn < 2 * serverConnections; turn += 1) {
      expect((await bare.query(read)).rows).toEqual([{ statement: '0', idle: '0' }]);
    }
  });

  testIt('a statement that does not end is ended on the server as well, in a transaction and out of one', async () => {
    const { store, direct } = await pooled(start, settings, { statementTimeoutMs: 300 });
    const endless = (db: OpenStore['db']) => sql`select pg_sleep(600) as endless`.execute(db);
    await expect(endless(store.db)).rejects.toThrow(/the statement took too long/);
    await expect(store.transaction((tx) => endless(tx))).rejects.toThrow(/the statement took too long/);
    const watcher = await connected(direct);
    const running = await watcher.query(
      `select query from pg_stat_activity where state = 'active' and query like '%endless%' and pid <> pg_backend_pid()`,
    );
    expect(running.rows).toEqual([]);
    expect(await readMounts(store)).toMatchObject({ name: 'mounts' });
  });

  testIt('a column that comes while statements are in use fails none of them', async () => {
    const { store } = await pooled(start, settings);
    await work(store);
    await sql`alter table revisions add column later integer`.execute(store.db);
    await work(store);
    expect(await readMounts(store)).toMatchObject({ later: null });
  });
});

test.skipIf(oldest === undefined)(
  'a pooler that cannot be detected at first is found by the first misdirected statement, and nothing fails',
  async () => {
    const { store, lines } = await pooled(oldest, ignoring, { pooler: 'none' });
    await work(store);
    expect(Number((await readMounts(store)).revision)).toBe(60);
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      { level: 'warn', message: expect.stringContaining('KEYFERRY_DATABASE_POOLER=transaction') },
    ]);
  },
);

test.skipIf(oldest === undefined)('no limits are sent with transactions when the role already has them', async () => {
  const direct = await emptyDatabase();
  const database = new URL(direct).pathname.slice(1);
  const admin = await connected(direct);
  for (const setting of [`statement_timeout = '7s'`, `idle_in_transaction_session_timeout = '60s'`]) {
    await admin.query(`alter role current_user in database ${database} set ${setting}`);
  }
  const pooler = await oldest?.({ databaseUrl: direct, serverConnections });
  if (pooler === undefined) throw new Error('there is no pooler');
  ending(pooler);
  const store = ending(await openStore(storeOptions(pooler.url, { statementTimeoutMs: 7_000 })));
  const sent = await store.transaction(async (tx) => {
    const { rows } = await sql<{ source: string }>`
        select distinct source from pg_settings where name like '%\\_timeout' and source <> 'default'`.execute(tx);
    return rows.map(({ source }) => source);
  });
  expect(sent).not.toContain('session');
});

test.skipIf(oldest === undefined)('in mode session a connection sets its own limits and planning', async () => {
  const direct = await emptyDatabase();
  const pooler = await oldest?.({ databaseUrl: direct, mode: 'session' });
  if (pooler === undefined) throw new Error('there is no pooler');
  ending(pooler);
  const store = ending(await openStore(storeOptions(pooler.url, { pooler: 'session', statementTimeoutMs: 45_000 })));
  const { rows } = await sql`select current_setting('statement_timeout') as statement,
    current_setting('random_page_cost') as page, current_setting('jit') as jit`.execute(store.db);
  expect(rows).toEqual([{ statement: '45s', page: '1.1', jit: 'off' }]);
});

test('without a pooler, statements are prepared, and connections have limits and planner settings from the start', async () => {
  const log = recordingLog();
  const store = ending(await openStore(storeOptions(await emptyDatabase(), { log, statementTimeoutMs: 45_000 })));
  await work(store);
  const { rows } = await sql`select current_setting('statement_timeout') as statement, current_setting('jit') as jit,
    (select count(*)::int > 0 from pg_prepared_statements) as prepared`.execute(store.db);
  expect(rows).toEqual([{ statement: '45s', jit: 'off', prepared: true }]);
  expect(log.lines).toEqual([]);
});
