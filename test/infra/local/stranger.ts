import { readdir } from 'node:fs/promises';
import { Redis } from 'ioredis';
import pg from 'pg';

/** Runs as another user of the machine, tries every access without a password, and prints the result of each. */
const [postgresPort, redisPort, folder = ''] = process.argv.slice(2);

const login = async (user: string): Promise<string> => {
  const client = new pg.Client({ host: '127.0.0.1', port: Number(postgresPort), user, database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
    return 'open';
  } catch (error) {
    return String(error);
  } finally {
    await client.end();
  }
};

async function ping(): Promise<string> {
  const redis = new Redis(Number(redisPort), '127.0.0.1', { retryStrategy: () => null, enableReadyCheck: false });
  redis.on('error', () => {});
  const answer = await redis.ping().catch(String);
  redis.disconnect();
  return answer;
}

const listing = (path: string): Promise<string> => readdir(path).then(() => 'open', String);

process.stdout.write(
  JSON.stringify({
    logins: await Promise.all(['keyferry', 'keyferry_app', 'postgres'].map(login)),
    redis: await ping(),
    folders: await Promise.all([folder, `${folder}/postgres`, `${folder}/redis`].map(listing)),
  }),
);
