import type { ChildProcess } from 'node:child_process';
import { chmodSync, chownSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { serverUser } from '../account.ts';
import { endChild, endOf, freePort, startChild, untilEnd } from '../child.ts';
import type { LocalServer } from '../server.ts';
import type { PoolerProgram } from './program.ts';

export interface PoolerOptions {
  readonly program: PoolerProgram;
  /** The PostgreSQL behind it. All its databases are served; the pooler logs in with the role of the URL. */
  readonly databaseUrl: string;
  readonly mode?: 'transaction' | 'session';
  /** Connections to PostgreSQL, per database. */
  readonly serverConnections?: number;
  /** Additional lines of the configuration, such as `max_prepared_statements`. */
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly port?: number;
}

const startMsMax = 20_000;

/** Starts a PgBouncer on 127.0.0.1 in front of a PostgreSQL, as a user without rights. Its URL is that of the database with another port. */
export async function startPooler(options: PoolerOptions): Promise<LocalServer> {
  const port = options.port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-pooler-'));
  await configure(folder, port, options);
  const log: string[] = [];
  const child = startChild(options.program.command, [...options.program.args, 'pooler.ini'], {
    cwd: folder,
    onLine: (line) => log.push(line) > 200 && log.shift(),
  });
  const url = throughPooler(options.databaseUrl, port);
  const ended = untilEnd(child).finally(() => rm(folder, { recursive: true, force: true }));
  await untilReady(child, url, log);
  return {
    url,
    port,
    pid: child.pid ?? 0,
    ended,
    // SIGINT waits for clients; SIGTERM ends at once.
    stop: () => endChild(child, 'SIGTERM').then(() => void ended),
    kill: () => endChild(child, 'SIGKILL').then(() => void ended),
  };
}

async function untilReady(child: ChildProcess, url: string, log: readonly string[]): Promise<void> {
  const deadline = Date.now() + startMsMax;
  for (;;) {
    const problem = await problemOf(url);
    if (problem === undefined) return;
    const how = endOf(child);
    if (how !== undefined || Date.now() > deadline) {
      await endChild(child, 'SIGKILL');
      throw new Error(`PgBouncer did not answer (${how ?? problem}):\n${log.join('\n')}`);
    }
    await new Promise((done) => setTimeout(done, 30));
  }
}

/** The same database behind a pooler on this port. */
export function throughPooler(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.port = String(port);
  return url.href;
}

async function configure(folder: string, port: number, options: PoolerOptions): Promise<void> {
  const { hostname, port: serverPort, username, password } = new URL(options.databaseUrl);
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: 'users',
    pool_mode: options.mode ?? 'transaction',
    default_pool_size: options.serverConnections ?? 20,
    max_client_conn: 1_000,
    ...options.settings,
  };
  const settings = Object.entries(lines).map(([name, value]) => `${name} = ${value}`);
  const server = `* = host=${hostname} port=${serverPort}`;
  await writeFile(join(folder, 'pooler.ini'), ['[databases]', server, '[pgbouncer]', ...settings, ''].join('\n'));
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`, { mode: 0o600 });
  if (serverUser === undefined) return;
  for (const path of [folder, join(folder, 'users'), join(folder, 'pooler.ini')])
    chownSync(path, serverUser, serverUser);
  chmodSync(folder, 0o700);
}

async function problemOf(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    await client.end();
    return undefined;
  } catch (error) {
    return String(error);
  }
}
