import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';

/** A new database with the newest schema and no store in it, copied from the run's template. It goes with the server. */
export function testDatabase(): Promise<string> {
  // Copying files is twice as fast here as writing the copy to the log: nothing is synced to disk.
  return newDatabase(`template ${inject('migratedTemplate')} strategy file_copy`);
}

/** A new database without a schema, for tests of the migrations and of everything that starts from nothing. */
export const emptyDatabase = (): Promise<string> => newDatabase('');

async function newDatabase(origin: string): Promise<string> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  await client.query(`create database ${name} ${origin}`).finally(() => client.end());
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

/** The test run's Redis, and a key prefix that no other test has. */
export function testRedis(): { readonly url: string; readonly prefix: string } {
  return { url: inject('redisUrl'), prefix: `{t-${randomBytes(8).toString('hex')}}` };
}

/** Stops or closes something when the test that started it has finished. */
export function ending<T extends { stop(): Promise<void> } | { close(): Promise<void> }>(thing: T): T {
  onTestFinished(() => ('stop' in thing ? thing.stop() : thing.close()));
  return thing;
}
