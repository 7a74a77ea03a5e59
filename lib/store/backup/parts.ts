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

/** One connection without a limit of time, as large tables take long; forms of values that every server reads. */
export async function connect(database: DatabaseAccess): Promise<pg.Client> {
  const client = await openClient(new Servers(database), {
    connectionTimeoutMillis: connectMsMax,
    application_name: 'keyferry-backup',
    keepAlive: true,
  }).catch((cause: unknown) => {
    throw connectFailure(cause).error;
  });
  await client.query(
    `set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC';
     set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 3; set client_encoding = 'UTF8'`,
  );
  return client;
}

export const quoted = (name: string): string => pg.escapeIdentifier(name);
