import { chmod, lchown, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isRoot, serverUser } from '#infra/local/account.ts';
import { endChild, freePort } from '#infra/local/child.ts';
import { closedFolder } from '#infra/local/folder.ts';
import { initialise } from '#infra/local/postgres/initialise.ts';
import { findPrograms } from '#infra/local/postgres/programs.ts';
import { runPostgres } from '#infra/local/postgres/run.ts';
import { startRedis } from '#infra/local/redis/start.ts';
import { startServices } from '#infra/local/services.ts';
import { ending } from '../../support/services.ts';

vi.setConfig({ testTimeout: 120_000 });

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-earlier-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the rows. */
async function ask(connectionString: string, text: string): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client
    .query(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** As an earlier version created it: every user of the machine is the superuser, who owns the tables. */
async function earlierPostgres(dataDir: string): Promise<void> {
  const programs = await findPrograms();
  const trusting = (folder: string) => writeFile(join(folder, 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  await initialise(programs, dataDir, trusting);
  const port = await freePort();
  const url = `postgres://keyferry@127.0.0.1:${port}/postgres`;
  const settings = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' };
  const answers = () => ask(url, 'select 1');
  const child = await runPostgres({ programs, dataDir, settings, startMsMax: 60_000, answers });
  await ask(
    url,
    `create table kept (id bigint generated always as identity primary key, v text);
     insert into kept (v) values ('first');
     create view seen as select v from kept`,
  ).finally(() => endChild(child, 'SIGINT'));
}

async function earlierRedis(dataDir: string): Promise<void> {
  const redis = await startRedis({ dataDir });
  const client = new Redis(redis.url);
  await client.set('kept', 'first');
  client.disconnect();
  await redis.stop();
  await rm(`${dataDir}.password`);
}

async function giveTo(user: number, folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) await lchown(join(folder, name), user, user);
  await lchown(folder, user, user);
}

test('the data folder of an earlier version, which was open to all, is closed and keeps its data', async () => {
  const folder = await emptyFolder();
  const [postgres, redis] = [join(folder, 'postgres'), join(folder, 'redis')];
  await earlierPostgres(postgres);
  await earlierRedis(redis);
  if (isRoot) await giveTo(65_534, postgres);
  if (isRoot) await giveTo(0, redis);
  for (const path of [folder, redis]) await chmod(path, 0o755);

  const services = ending(await startServices(folder, {}, () => {}));
  expect(await ask(services.databaseUrl, 'select v from seen')).toEqual([{ v: 'first' }]);
  await ask(services.databaseUrl, "insert into kept (v) values ('second'); alter table kept add column more text");
  const { host } = new URL(services.databaseUrl);
  await expect(ask(`postgres://keyferry@${host}/postgres`, 'select 1')).rejects.toThrow('no pg_hba.conf entry');
  const client = new Redis(services.redisUrl);
  expect(await client.get('kept')).toBe('first');
  client.disconnect();
  for (const path of [folder, postgres, redis]) expect((await stat(path)).mode & 0o777).toBe(0o700);
  if (isRoot) for (const path of [postgres, redis]) expect((await stat(path)).uid).toBe(serverUser);
});

test('a folder with other files is not closed, because others may use them', async () => {
  const folder = await emptyFolder();
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'theirs'), '');
  await expect(closedFolder(folder)).rejects.toThrow(
    'contains theirs, which does not belong to an instance: close it to other users',
  );
  expect((await stat(folder)).mode & 0o777).toBe(0o755);
});
