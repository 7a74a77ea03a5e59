import pg from 'pg';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { openStore } from '#store/open.ts';
import { patience } from '../measures/patience.ts';

const name = 'migrated_template';

/**
 * Makes a database with the newest schema, for others to be copied from. PostgreSQL copies only databases without connections, so
 * this one accepts none any more. Returns its name.
 */
export async function makeTemplate(postgresUrl: string): Promise<string> {
  await run(postgresUrl, `create database ${name}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  const limits = { statementTimeoutMs: patience.conditionMs, connectTimeoutMs: patience.conditionMs };
  const parts = { seal: 'shamir', log: silentLog, clock: systemClock, refreshMs: 3_600_000 } as const;
  const store = await openStore({ databaseUrl: url.href, poolSize: 2, ...limits, ...parts });
  await store.close();
  await run(postgresUrl, `alter database ${name} allow_connections false`);
  return name;
}

async function run(postgresUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
