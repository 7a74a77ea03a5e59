import { spawnSync } from 'node:child_process';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStore } from '#store/open.ts';
import { ending, testDatabase } from '../../support/services.ts';
import { storeOptions } from '../stores.ts';

/** Ends all other clients' connections of a database while this process is blocked, like a function between two events. */
function endConnectionsWhileFrozen(databaseUrl: string, frozenMs: number): void {
  const program = `
    import pg from 'pg';
    const client = new pg.Client({ connectionString: process.argv[1] });
    await client.connect();
    await client.query(\`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()\`);
    await client.end();
    await new Promise((resolve) => setTimeout(resolve, ${frozenMs}));`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, databaseUrl], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
}

test('the first statements after a freeze succeed although the connections were closed meanwhile', async () => {
  const url = await testDatabase();
  const store = ending(await openStore(storeOptions(url, { poolSize: 3 })));
  const read = () => sql`select 1 as one`.execute(store.db);
  await Promise.all([read(), read(), read()]);
  endConnectionsWhileFrozen(url, 1_500);
  const together = await Promise.all([read(), store.transaction((tx) => sql`select 1 as one`.execute(tx)), read()]);
  expect(together.map(({ rows }) => rows)).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]]);
});

test('a store at rest has no connections and opens one when it is used again', async () => {
  const store = ending(await openStore(storeOptions(await testDatabase(), { poolSize: 3 })));
  const read = () => sql`select 1 as one`.execute(store.db);
  await Promise.all([read(), read(), read()]);
  expect(store.connections().idle).toBeGreaterThan(0);
  await store.rest();
  expect(store.connections()).toMatchObject({ idle: 0, busy: 0 });
  expect((await read()).rows).toEqual([{ one: 1 }]);
});
