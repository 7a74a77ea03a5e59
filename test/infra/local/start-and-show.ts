import { once } from 'node:events';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startServices } from '#infra/local/services.ts';

/** Starts both servers on a folder, uses them, prints the results, and stops them when its input ends. */
const [folder = ''] = process.argv.slice(2);
const { databaseUrl, redisUrl, stop } = await startServices(folder, {}, () => {});
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const { rows } = await client.query('select current_user as name, pg_backend_pid() as pid');
await client.query('create table if not exists made (at timestamptz)');
await client.query('insert into made values (now())');
const made = await client.query<{ count: number }>('select count(*)::int as count from made');
await client.end();
const redis = new Redis(redisUrl);
const redisPid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
redis.disconnect();
process.stdout.write(
  `${JSON.stringify({ role: rows[0]?.name, made: made.rows[0]?.count, databaseUrl, redisUrl, redisPid })}\n`,
);
process.stdin.resume();
await once(process.stdin, 'end');
await stop();
process.exit(0);
