import pg from 'pg';
import { z } from 'zod';
import { openClient } from '../postgres/connect/server-client.ts';
import { type DatabaseAccess, Servers } from '../postgres/connect/servers.ts';
import { connectFailure } from '../postgres/failure.ts';

/** What stands at the begin of a backup. */
export const headerForm = z.object({
  format: z.literal('keyferry-backup'),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  /** The steps of the schema that the data is in. */
  migrations: z.array(z.string()).min(1),
  /** Of the store; undefined: it was not initialised. */
  clusterId: z.string().optional(),
});
export type BackupHeader = z.output<typeof headerForm>;

/** A table whose rows follow. */
export const tableForm = z.object({
  name: z.string(),
  columns: z.array(z.string()).min(1),
  /** Its identity columns, and the last value that each has given. */
  identities: z.array(z.object({ column: z.string(), last: z.string().regex(/^\d+$/) })),
});
export type BackupTable = z.output<typeof tableForm>;

export const endForm = z.object({ rows: z.record(z.string(), z.int()) });

/** What a backup or a restore has moved. */
export interface Moved {
  readonly header: BackupHeader;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Called when a table is through. */
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

/** No limit of time, as large tables take long; forms of values that every server reads. */
const ours = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  timezone: `'UTC'`,
  datestyle: `'ISO'`,
  intervalstyle: `'postgres'`,
  extra_float_digits: '3',
};

/** Begins a transaction with settings for itself alone: behind a pooler the connection's would be left to others, and be theirs. */
export async function begin(client: pg.Client, mode = ''): Promise<void> {
  const settings = Object.entries(ours).map(([name, value]) => `set local ${name} = ${value}`);
  await client.query([`begin transaction ${mode}`, ...settings].join('; '));
}

export const quoted = (name: string): string => pg.escapeIdentifier(name);
