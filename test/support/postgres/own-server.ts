import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { endChild, endOf, freePort, untilEnd } from '#infra/local/child.ts';
import { serverFolder } from '#infra/local/folder.ts';
import { findPrograms } from '#infra/local/postgres/programs.ts';
import { database, role, superuser } from '#infra/local/postgres/rights.ts';
import { runPostgres } from '#infra/local/postgres/run.ts';
import { startPostgres } from '#infra/local/postgres/start.ts';

/** A PostgreSQL server whose settings and access rules the test chooses. */
export interface OwnServer {
  readonly port: number;
  readonly dataDir: string;
  /** Folder of its Unix socket. */
  readonly socket: string;
  /** For the service's role. */
  readonly password: string;
  /** For the service's role, with these parameters. */
  url(parameters?: string): string;
  /** As the superuser. */
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Starts it with further settings. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** Stops its processes with SIGSTOP: connections stay open, but nothing is answered. */
  freeze(): void;
  thaw(): void;
  remove(): Promise<void>;
}

export interface OwnServerParts {
  /** Access rules for the network. The superuser always has access by the socket. */
  readonly access?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
}

export const usualAccess: readonly string[] = [`host all ${role} 127.0.0.1/32 scram-sha-256`];

/** A new server with a data folder in which the service's role exists. */
export async function newServer(parts: OwnServerParts = {}): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-own-'));
  const dataDir = join(folder, 'postgres');
  const made = await startPostgres({ dataDir, volatile: true, createsDatabases: true });
  await made.stop();
  return serverIn(folder, dataDir, new URL(made.url).password, parts);
}

/** A server on an existing data folder. */
export async function serverIn(
  folder: string,
  dataDir: string,
  password: string,
  { access = usualAccess, settings: lasting = {} }: OwnServerParts,
  givenPort?: number,
): Promise<OwnServer> {
  const [programs, port] = [await findPrograms(), givenPort ?? (await freePort())];
  // A separate folder, because the server's user may not enter the others.
  const socket = await mkdtemp(join(tmpdir(), 'keyferry-socket-'));
  const hbaFile = join(socket, 'access.conf');
  await writeFile(hbaFile, [`local all,replication ${superuser} trust`, ...access, ''].join('\n'));
  await serverFolder(socket);
  let child: ChildProcess | undefined;
  const query = async (text: string) => {
    const client = new pg.Client({ host: socket, port, user: superuser, database, connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      const result = await client.query<Record<string, unknown>>(text);
      return Array.isArray(result) ? [] : result.rows;
    } finally {
      await client.end();
    }
  };
  const stop = async () => {
    if (child !== undefined) await endChild(child, 'SIGINT');
  };
  // The backends are separate processes, which outlive the parent for a while.
  const signal = (name: NodeJS.Signals) => {
    if (child?.pid === undefined || endOf(child) !== undefined) return;
    for (const pid of [child.pid, ...childrenOf(child.pid)]) sendTo(pid, name);
  };
  return {
    port,
    dataDir,
    password,
    query,
    stop,
    socket,
    url: (parameters) =>
      `postgres://${role}:${password}@127.0.0.1:${port}/${database}${parameters === undefined ? '' : `?${parameters}`}`,
    async start(settings = {}) {
      child = await runPostgres({
        programs,
        dataDir,
        startMsMax: 60_000,
        answers: () => query('select 1'),
        settings: {
          listen_addresses: '127.0.0.1',
          port: String(port),
          unix_socket_directories: socket,
          hba_file: hbaFile,
          max_connections: '100',
          shared_buffers: '32MB',
          fsync: 'off',
          full_page_writes: 'off',
          timezone: 'UTC',
          ...lasting,
          ...settings,
        },
      });
    },
    async kill() {
      if (child === undefined) return;
      const ended = untilEnd(child);
      signal('SIGKILL');
      await ended;
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async remove() {
      signal('SIGCONT');
      await stop();
      for (const path of [folder, socket]) await rm(path, { recursive: true, force: true });
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited.
  }
}
