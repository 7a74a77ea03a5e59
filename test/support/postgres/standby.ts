import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { serverFolder } from '#infra/local/folder.ts';
import { database, superuser } from '#infra/local/postgres/rights.ts';
import { patience } from '../measures/patience.ts';
import { type OwnServer, serverIn } from './own-server.ts';

/** The name under which the primary knows the standby. */
export const standbyName = 'standby';

/** Settings of a primary: a commit waits until the standby has it, or does not. */
export const synchronous = { synchronous_standby_names: standbyName };
export const asynchronous = { synchronous_standby_names: '' };

const replication = { wal_level: 'replica', max_wal_senders: '10', wal_keep_size: '512MB', hot_standby: 'on' };

/**
 * Makes and starts a standby of a running server from a base backup: the files are copied between `pg_backup_start` and
 * `pg_backup_stop`.
 */
export async function standbyOf(primary: OwnServer, port?: number): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-standby-'));
  const dataDir = join(folder, 'postgres');
  await copy(primary, dataDir);
  const source = `host=${primary.socket} port=${primary.port} user=${superuser} application_name=${standbyName}`;
  await writeFile(join(dataDir, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  await writeFile(join(dataDir, 'standby.signal'), '');
  for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(join(dataDir, name), { force: true });
  spawnSync('chown', ['-R', `--reference=${primary.dataDir}`, dataDir]);
  await serverFolder(dataDir);
  const standby = await serverIn(folder, dataDir, primary.password, { settings: replication }, port);
  await standby.start();
  return standby;
}

async function copy(primary: OwnServer, to: string): Promise<void> {
  const client = new pg.Client({ host: primary.socket, port: primary.port, user: superuser, database });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`select pg_backup_start('copy', true)`);
    // cp complains about files that disappear meanwhile. None of them matters.
    spawnSync('cp', ['-a', primary.dataDir, to]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}

/** A database URL with both hosts; the first is tried first. */
export function urlOfBoth(first: OwnServer, second: OwnServer, parameters = ''): string {
  const at = `@127.0.0.1:${first.port},127.0.0.1:${second.port}/`;
  return `${first.url().replace(/@[^/]*\//, at)}${parameters === '' ? '' : `?${parameters}`}`;
}

/** Promotes a standby. Resolves once it accepts writes. */
export async function promote(standby: OwnServer): Promise<void> {
  await standby.query('select pg_promote(false)');
  // The server cannot be left to wait: recovery cancels a statement that is in the way of what it replays.
  await untilTrue(standby, 'not pg_is_in_recovery()');
}

/** Asks a server until a condition in SQL is true. A refused or cancelled statement counts as false. */
export async function untilTrue(server: OwnServer, condition: string): Promise<void> {
  const deadline = Date.now() + patience.conditionMs;
  for (;;) {
    const [row] = await server.query(`select ${condition} as done`).catch(() => []);
    if (row?.['done'] === true) return;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
