import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { serverFolder } from '../folder.ts';

/** Owns the catalogs. It has no password, and can log in only through a socket that exists while rights are granted. */
export const superuser = 'keyferry';
/** Owns the database and nothing else: it can neither read files of the server nor start programs there. */
export const role = 'keyferry_app';
export const database = 'postgres';

/** Logins over the network: only the role of the service, from this machine, with its password. */
const access = `# Written by Keyferry.\nhost all ${role} 127.0.0.1/32 scram-sha-256\n`;

const accessFile = (dataDir: string): string => join(dataDir, 'pg_hba.conf');

/** Whether rights were granted: this file is written last. */
export const hasRights = async (dataDir: string): Promise<boolean> =>
  (await readFile(accessFile(dataDir), 'utf8').catch(() => '')) === access;

export interface Rights {
  readonly password: string;
  /** For tests, which create a database each. */
  readonly createsDatabases: boolean;
}

/** A server that runs on the data folder and listens on a Unix socket only. */
export interface PrivateServer {
  stop(): Promise<void>;
}

/**
 * Creates the role of the service in a new data folder, or in one of an earlier version, where every user of the machine was the
 * superuser and all tables belong to the superuser. It may be repeated.
 */
export async function giveRights(
  dataDir: string,
  rights: Rights,
  start: (settings: Readonly<Record<string, string>>, isReady: () => Promise<unknown>) => Promise<PrivateServer>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-socket-'));
  try {
    const hbaFile = join(folder, 'pg_hba.conf');
    await writeFile(hbaFile, `local all ${superuser} trust\n`);
    await serverFolder(folder);
    const settings = { listen_addresses: '', unix_socket_directories: folder, hba_file: hbaFile };
    const server = await start(settings, () => query(folder, 'select 1'));
    await query(folder, statements(rights)).finally(() => server.stop());
    await writeFile(accessFile(dataDir), access);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function query(socketFolder: string, text: string): Promise<void> {
  const client = new pg.Client({ host: socketFolder, user: superuser, database, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  await client.connect();
  await client.query(text).finally(() => client.end());
}

const statements = ({ password, createsDatabases }: Rights): string => `
  do $$
  declare one record;
  begin
    if not exists (select from pg_roles where rolname = '${role}') then create role ${role}; end if;
    for one in select c.oid::regclass as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where n.nspname = 'public' and c.relkind in ('r', 'p', 'v', 'm') and c.relowner <> '${role}'::regrole
    loop
      execute format('alter table %s owner to ${role}', one.name);
    end loop;
  end $$;
  alter role ${role} login nosuperuser nocreaterole ${createsDatabases ? 'createdb' : 'nocreatedb'} password '${password}';
  alter database ${database} owner to ${role}`;
