import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';

/** A new, empty database on the test run's PostgreSQL; it goes with the server. */
export async function testDatabase(): Promise<string> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

/** The test run's Redis, and a key prefix that no other test has. */
export function testRedis(): { readonly url: string; readonly prefix: string } {
  return { url: inject('redisUrl'), prefix: `{t-${randomBytes(8).toString('hex')}}` };
}

/** Ends something with the test that started it. */
export function ending<T extends { stop(): Promise<void> } | { close(): Promise<void> }>(thing: T): T {
  onTestFinished(() => ('stop' in thing ? thing.stop() : thing.close()));
  return thing;
}
