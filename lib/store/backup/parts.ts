import pg from 'pg';
import { z } from 'zod';
import { openClient } from '../postgres/connect/server-client.ts';
import { type DatabaseAccess, Servers } from '../postgres/connect/servers.ts';
import { connectFailure } from '../postgres/failure.ts';

/** The header of a backup. */
export const headerSchema = z.object({
  format: z.literal('keyferry-backup'),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  /** The migrations that had been applied when the backup was made. */
  migrations: z.array(z.string()).min(1),
  /** The id of the store; undefined when the store was not initialised. */
  clusterId: z.string().optional(),
});
export type BackupHeader = z.output<typeof headerSchema>;

/** Start of a table; its rows follow. */
export const tableSchema = z.object({
  name: z.string(),
  columns: z.array(z.string()).min(1),
  /** The identity columns and the last value that each has generated. */
  identities: z.array(z.object({ column: z.string(), last: z.string().regex(/^\d+$/) })),
});
export type BackupTable = z.output<typeof tableSchema>;

export const endSchema = z.object({ rows: z.record(z.string(), z.int()) });

/** The result of a backup or a restore. */
export interface Moved {
  readonly header: BackupHeader;
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Called when a table is finished. */
export type OnTable = (name: string, rows: number) => void;

const connectMsMax = 10_000;

export async function connect(database: DatabaseAccess): Promise<pg.Client> {
  return openClient(new Servers(database), {
    connectionTimeoutMillis: connectMsMax,
    application_name: 'keyferry-backup',
    keepAlive: true,
  }).catch((cause: unknown) => {
    throw connectFailure(cause).error;
  });
}

/** No time limits, since large tables take long; value formats that every server can read. */
const sessionSettings = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  timezone: `'UTC'`,
  datestyle: `'ISO'`,
  intervalstyle: `'postgres'`,
  extra_float_digits: '3',
};

/** Begins a transaction with settings that end with it: behind a pooler, session settings would leak to and from other clients. */
export async function begin(client: pg.Client, mode = ''): Promise<void> {
  const settings = Object.entries(sessionSettings).map(([name, value]) => `set local ${name} = ${value}`);
  await client.query([`begin transaction ${mode}`, ...settings].join('; '));
}

export const quoted = (name: string): string => pg.escapeIdentifier(name);
